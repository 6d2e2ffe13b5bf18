#pragma once
// Device memory that frees itself, and streams.

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/cuda/kernels/check.hpp"

namespace nomu::engine::cuda {

/// An array in device memory.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    if (count > 0) NOMU_CUDA_CHECK(cudaMalloc(&values_, count * sizeof(T)));
  }
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) { upload(values); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(std::span<const T>(values)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&& other) noexcept
      : values_(std::exchange(other.values_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceArray() { (void)cudaFree(values_); }

  [[nodiscard]] T* data() const { return static_cast<T*>(values_); }
  [[nodiscard]] std::size_t size() const { return count_; }

  // All of these wait for completion: CUDA's own calls may return before the device has the data, and streams that do
  // not wait for the default one would run ahead of them.
  void upload(std::span<const T> from, std::size_t offset = 0) {
    if (from.empty()) return;
    NOMU_CUDA_CHECK(cudaMemcpy(data() + offset, from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
    NOMU_CUDA_CHECK(cudaDeviceSynchronize());
  }
  void download(std::span<T> to, std::size_t offset = 0) const {
    if (to.empty()) return;
    NOMU_CUDA_CHECK(cudaMemcpy(to.data(), data() + offset, to.size_bytes(), cudaMemcpyDeviceToHost));
  }
  void clear() {
    if (count_ == 0) return;
    NOMU_CUDA_CHECK(cudaMemset(values_, 0, count_ * sizeof(T)));
    NOMU_CUDA_CHECK(cudaDeviceSynchronize());
  }
  /// Copies the first `count` elements to `offset`.
  void repeat(std::size_t count, std::size_t offset) {
    NOMU_CUDA_CHECK(cudaMemcpy(data() + offset, data(), count * sizeof(T), cudaMemcpyDeviceToDevice));
    NOMU_CUDA_CHECK(cudaDeviceSynchronize());
  }

 private:
  void* values_ = nullptr;
  std::size_t count_ = 0;
};

/// A stream of work that does not wait for the default one.
class Stream {
 public:
  Stream() { NOMU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { NOMU_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace nomu::engine::cuda
