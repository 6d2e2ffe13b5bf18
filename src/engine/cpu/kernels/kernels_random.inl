// Philox in groups of sixteen blocks: uniform numbers and dropout masks.

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

/// Words of 16 consecutive Philox blocks from block `first`, in order.
inline void philox_words(const PhiloxStream& s, std::uint64_t first, std::uint32_t* words) {
  const std::uint32_t purpose = (static_cast<std::uint32_t>(s.purpose) << 24U) | s.place;
#pragma omp simd
  for (std::uint32_t i = 0; i < 16; ++i) {
    std::uint64_t index = first + i;
    std::uint32_t c0 = static_cast<std::uint32_t>(index), c1 = static_cast<std::uint32_t>(index >> 32U), c2 = s.step,
                  c3 = purpose;
    std::uint32_t k0 = static_cast<std::uint32_t>(s.seed), k1 = static_cast<std::uint32_t>(s.seed >> 32U);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
      c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
      c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    words[4 * i] = c0;
    words[4 * i + 1] = c1;
    words[4 * i + 2] = c2;
    words[4 * i + 3] = c3;
  }
}

void uniform(const PhiloxStream& stream, float* out, std::size_t count) {
  std::uint32_t words[64];
  for (std::size_t e = 0; e < count; e += 64) {
    philox_words(stream, e / 4, words);
    const std::size_t part = count - e < 64 ? count - e : 64;
    for (std::size_t k = 0; k < part; ++k)
      out[e + k] = static_cast<float>(static_cast<std::int32_t>(words[k] >> 8U)) * 0x1p-24F;
  }
}

void drop(const PhiloxStream& stream, float rate, float* y, std::size_t units, std::size_t ld, std::size_t row,
          std::size_t end_row, std::size_t first, std::size_t width) {
  const float scale = 1.0F / (1.0F - rate);
  std::uint32_t words[64];
  for (std::size_t r = row; r < end_row; ++r) {
    const std::uint64_t begin = r * units + first;
    const std::uint64_t end = begin + width;
    for (std::uint64_t base = begin / 64 * 64; base < end; base += 64) {
      philox_words(stream, base / 4, words);
      const std::uint64_t from = base > begin ? base : begin;
      const std::uint64_t to = base + 64 < end ? base + 64 : end;
      for (std::uint64_t e = from; e < to; ++e) {
        const float u = static_cast<float>(static_cast<std::int32_t>(words[e - base] >> 8U)) * 0x1p-24F;
        float& value = y[r * ld + (e - r * units)];
        value = u >= rate ? value * scale : 0.0F;
      }
    }
  }
}

}  // namespace
}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
