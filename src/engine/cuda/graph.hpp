#pragma once
// A sequence of launches recorded once and started as one.

#include "engine/cuda/device.hpp"

namespace nomu::engine::cuda {

class Graph {
 public:
  /// Records what `launches` starts on the stream.
  template <class Launches>
  Graph(const Stream& stream, const Launches& launches) {
    NOMU_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      launches();
    } catch (...) {
      (void)cudaStreamEndCapture(stream.get(), &graph);
      (void)cudaGraphDestroy(graph);
      throw;
    }
    NOMU_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    (void)cudaGraphDestroy(graph);
    NOMU_CUDA_CHECK(status);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) = delete;
  Graph& operator=(Graph&&) = delete;
  ~Graph() { (void)cudaGraphExecDestroy(graph_); }

  void start(const Stream& stream) const { NOMU_CUDA_CHECK(cudaGraphLaunch(graph_, stream.get())); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// A point in a stream that the host can wait for.
class Event {
 public:
  Event() { NOMU_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&&) = delete;
  Event& operator=(Event&&) = delete;
  ~Event() { (void)cudaEventDestroy(event_); }
  void mark(const Stream& stream) const { NOMU_CUDA_CHECK(cudaEventRecord(event_, stream.get())); }
  void wait() const { NOMU_CUDA_CHECK(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace nomu::engine::cuda
