// Blocks run one after the other; the threads of a block are coroutines that are resumed in turn, each until it stops
// at a barrier. Background copies arrive as late as they may (NOMU_COPIES=early: as early), and threads run in order
// (NOMU_THREADS=reverse: in reverse), so that a missing barrier or wait shows.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "cuda_runtime.h"

dim3 threadIdx, blockIdx, blockDim, gridDim;

extern "C" void cuda_on_host_switch(void** save, void* load);
asm(R"(
.text
.globl cuda_on_host_switch
cuda_on_host_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
)");

namespace cuda_on_host {
namespace {

constexpr std::size_t stack_bytes = 64U << 10U;
constexpr std::size_t lane_bytes = 64;

bool asked(const char* name, const char* value) {
  const char* found = std::getenv(name);
  return found != nullptr && std::string(found) == value;
}

struct Copy {
  float* to;
  const float* from;
  unsigned bytes, filled;
  void run() const {
    std::memcpy(to, from, bytes);
    std::memset(reinterpret_cast<char*>(to) + bytes, 0, filled - bytes);
  }
};

struct Thread {
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
  void* pointer = nullptr;
  bool done = false, at_block = false, at_warp = false;
  std::vector<std::vector<Copy>> groups;
  std::vector<Copy> open;
};

struct Block {
  std::vector<Thread> threads;
  std::vector<char> shared, exchange;
  const std::function<void()>* kernel = nullptr;
  void* scheduler = nullptr;
  unsigned current = 0;
} block;

Recording* recording = nullptr;

void stop() { cuda_on_host_switch(&block.threads[block.current].pointer, block.scheduler); }

void enter() {
  (*block.kernel)();
  Thread& mine = block.threads[block.current];
  for (const auto& group : mine.groups)
    for (const Copy& copy : group) copy.run();
  mine.done = true;
  stop();
}

void begin(Thread& thread) {
  auto top = reinterpret_cast<std::uintptr_t>(thread.stack.get() + stack_bytes) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<void**>(top);
  *--words = nullptr;  // so that `enter` starts with the alignment of a called function
  *--words = reinterpret_cast<void*>(&enter);
  for (int i = 0; i < 6; ++i) *--words = nullptr;
  thread.pointer = words;
  thread.done = thread.at_block = thread.at_warp = false;
  thread.groups.clear();
  thread.open.clear();
}

/// Opens a barrier where every thread that is left has arrived.
void release(bool Thread::*barrier, unsigned first, unsigned count) {
  bool all = true;
  for (unsigned t = first; t < first + count; ++t) all = all && (block.threads[t].done || block.threads[t].*barrier);
  for (unsigned t = first; all && t < first + count; ++t) block.threads[t].*barrier = false;
}

void run_block(unsigned threads, unsigned shared_bytes) {
  // A block of its own and no longer than asked for, so that AddressSanitizer sees who reads or writes past its end.
  block.shared = std::vector<char>(shared_bytes, static_cast<char>(0xFF));
  block.exchange.resize(std::size_t{threads} * lane_bytes);
  if (block.threads.size() < threads) block.threads.resize(threads);
  for (unsigned t = 0; t < threads; ++t) begin(block.threads[t]);
  static const bool reverse = asked("NOMU_THREADS", "reverse");
  for (unsigned left = threads, idle = 0; left > 0;) {
    const unsigned before = left;
    bool moved = false;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned t = reverse ? threads - 1 - i : i;
      Thread& thread = block.threads[t];
      if (thread.done || thread.at_block || thread.at_warp) continue;
      block.current = t;
      threadIdx = {t, 0, 0};
      cuda_on_host_switch(&block.scheduler, thread.pointer);
      moved = true;
      if (thread.done) --left;
      if (thread.at_warp || thread.done) release(&Thread::at_warp, t / 32 * 32, 32);
    }
    release(&Thread::at_block, 0, threads);
    idle = moved || left != before ? 0 : idle + 1;
    if (idle > 2) {
      std::fputs("cuda_on_host: threads wait for each other for ever\n", stderr);
      std::abort();
    }
  }
}

}  // namespace

void launch(std::size_t blocks, unsigned threads, unsigned shared_bytes, const std::function<void()>& kernel) {
  if (recording != nullptr) {
    recording->push_back([=] { launch(blocks, threads, shared_bytes, kernel); });
    return;
  }
  block.kernel = &kernel;
  blockDim = {threads, 1, 1};
  gridDim = {static_cast<unsigned>(blocks), 1, 1};
  for (std::size_t b = 0; b < blocks; ++b) {
    blockIdx = {static_cast<unsigned>(b), 0, 0};
    run_block(threads, shared_bytes);
  }
}

float* shared_memory() { return reinterpret_cast<float*>(block.shared.data()); }

void copy_later(float* to, const float* from, unsigned bytes, unsigned filled) {
  static const bool early = asked("NOMU_COPIES", "early");
  if (reinterpret_cast<std::uintptr_t>(to) % filled != 0 || reinterpret_cast<std::uintptr_t>(from) % filled != 0) {
    std::fputs("cuda_on_host: misaligned copy\n", stderr);
    std::abort();
  }
  const Copy copy{to, from, bytes, filled};
  early ? copy.run() : block.threads[block.current].open.push_back(copy);
}

void close_copies() {
  Thread& mine = block.threads[block.current];
  mine.groups.push_back(std::move(mine.open));
  mine.open.clear();
}

void finish_copies(unsigned pending) {
  Thread& mine = block.threads[block.current];
  while (mine.groups.size() > pending) {
    for (const Copy& copy : mine.groups.front()) copy.run();
    mine.groups.erase(mine.groups.begin());
  }
}

void wait_for_warp() {
  block.threads[block.current].at_warp = true;
  stop();
}

void* exchange(unsigned lane, std::size_t bytes) {
  const unsigned warp = block.current / 32 * 32;
  return block.exchange.data() + std::size_t{warp} * lane_bytes + lane * bytes;
}

}  // namespace cuda_on_host

void __syncthreads() {
  cuda_on_host::block.threads[cuda_on_host::block.current].at_block = true;
  cuda_on_host::stop();
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*memory, 0xFF, bytes);  // what is read before it is written shows
  return *memory == nullptr ? 1 : cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::snprintf(properties->name, sizeof properties->name, "host");
  properties->major = 8;
  properties->minor = 0;
  const char* processors = std::getenv("NOMU_PROCESSORS");
  properties->multiProcessorCount = processors == nullptr ? 4 : std::atoi(processors);
  const char* shared = std::getenv("NOMU_SHARED_BYTES");
  properties->sharedMemPerBlockOptin = shared == nullptr ? 232448 : std::strtoull(shared, nullptr, 10);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = std::size_t{6} << 30U;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, int) {
  cuda_on_host::recording = new cuda_on_host::Recording;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = std::exchange(cuda_on_host::recording, nullptr);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new cuda_on_host::Recording(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& kernel : *executable) kernel();
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
