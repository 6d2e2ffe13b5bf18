#pragma once
// Stands in for CUDA's own header where the kernels are tried on the host: the few names the engine uses, and threads
// of a block as coroutines that stop at barriers.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();

namespace cuda_on_host {

/// Runs a kernel at once, or keeps it where a stream is being recorded.
void launch(std::size_t blocks, unsigned threads, unsigned shared_bytes, const std::function<void()>& kernel);
float* shared_memory();
void copy_later(float* to, const float* from, unsigned bytes, unsigned filled);
void close_copies();
void finish_copies(unsigned pending);
void wait_for_warp();
/// Room that the lanes of a warp share, `bytes` a lane.
void* exchange(unsigned lane, std::size_t bytes);

using Recording = std::vector<std::function<void()>>;

}  // namespace cuda_on_host

template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, const T& value) {
  *to = value;
}
inline void __syncwarp() { cuda_on_host::wait_for_warp(); }

using cudaError_t = int;
constexpr cudaError_t cudaSuccess = 0;
using cudaStream_t = void*;
using cudaEvent_t = void*;
using cudaGraph_t = cuda_on_host::Recording*;
using cudaGraphExec_t = cuda_on_host::Recording*;
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum { cudaStreamNonBlocking, cudaStreamCaptureModeThreadLocal, cudaEventDisableTiming };

struct cudaDeviceProp {
  char name[64];
  int major, minor, multiProcessorCount;
  std::size_t sharedMemPerBlockOptin;
};

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, int) {
  for (std::size_t i = 0; i < height; ++i) {
    std::memcpy(static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, width);
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t) { return "failed"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all);
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, int) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return cudaGraphDestroy(executable); }
