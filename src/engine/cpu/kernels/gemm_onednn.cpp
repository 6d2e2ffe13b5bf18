// Matrix products by oneDNN, which picks the instruction set at run time.

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "engine/cpu/kernels/fork_guard.hpp"
#include "engine/cpu/kernels/gemm.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cpu {
namespace {

void multiply(Transpose trans_a, Transpose trans_b, std::size_t m, std::size_t n, std::size_t k, const float* a,
              std::size_t lda, const float* b, std::size_t ldb, bool accumulate, float* c, std::size_t ldc) {
  const ForkGuard guard;  // oneDNN takes a lock of its own in every call
  const auto letter = [](Transpose t) { return t == Transpose::yes ? 'T' : 'N'; };
  const auto dim = [](std::size_t v) { return static_cast<dnnl_dim_t>(v); };
  const dnnl_status_t status = dnnl_sgemm(letter(trans_a), letter(trans_b), dim(m), dim(n), dim(k), 1.0F, a, dim(lda),
                                          b, dim(ldb), accumulate ? 1.0F : 0.0F, c, dim(ldc));
  if (status != dnnl_success)
    throw DeviceFailure("engine/cpu", "oneDNN failed to compute a matrix product; try --provider eigen");
}

constexpr GemmProvider provider{"onednn", &multiply};

}  // namespace

const GemmProvider* onednn_provider() {
  // Results say which instruction set they were computed with. Environment variables of oneDNN would change it, and
  // the last bits of every product, without a trace; a setting made before the first product replaces them.
  // The value 0 is "all" of oneDNN 2 and "default" of oneDNN 3: what the processor has.
  static const dnnl_status_t own_choice = dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(0));
  (void)own_choice;  // a library built without this choice has no such variables either
  return &provider;
}

// Debian's oneDNN takes its threads from OpenMP, whose limit is a property of the calling thread.
SingleThreaded::SingleThreaded() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
SingleThreaded::~SingleThreaded() { omp_set_num_threads(before_); }

}  // namespace nomu::engine::cpu
