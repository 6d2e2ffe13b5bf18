// Any bytes are either a model, which survives being packed and read again and predicts, or a DataError that says what
// is wrong. Checksums are mended first, so that what lies behind them is reached too, and half of the changes keep the
// form of a model file.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model_changes.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/targets.hpp"
#include "refusal.hpp"

namespace {

const std::shared_ptr<nomu::Engine>& engine() {
  static const std::shared_ptr<nomu::Engine> one = nomu::make_engine({.device = "cpu", .threads = 1});
  return one;
}

/// The same file with right checksums, where it has the form of one; otherwise the reader has to say so itself.
std::string mended(std::string_view bytes) {
  try {
    return nomu::ModelFile(bytes).bytes();
  } catch (const nlohmann::json::exception&) {
    return std::string(bytes);
  }
}

void read_targets(std::string_view bytes) {
  const nomu::TargetModels models = nomu::unpack_targets(bytes, "fuzz", engine());
  const std::string packed = nomu::pack_targets(models);
  if (nomu::pack_targets(nomu::unpack_targets(packed, "again", engine())) != packed) std::abort();
  static_cast<void>(models.describe());
  const std::vector<double> row(models.models().front().data().cols(), 0.5);
  if (const auto level = models.default_level()) static_cast<void>(models.joint_bounds(row, *level));
}

void read(std::string_view bytes) {
  if (nomu::holds_targets(bytes)) return read_targets(bytes);
  const nomu::Model model = nomu::unpack_model(bytes, "fuzz", engine());
  const std::string packed = nomu::pack_model(model);
  if (nomu::pack_model(nomu::unpack_model(packed, "again", engine())) != packed) std::abort();
  const std::vector<double> row(model.data().cols(), 0.5);
  const std::vector<double> noise(model.data().noise.empty() ? 0 : 1, 0.5);
  static_cast<void>(model.predict(row, noise));
  static_cast<void>(model.describe());
  if (const auto level = model.default_level()) static_cast<void>(model.bounds(row, *level, noise));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string whole = mended({reinterpret_cast<const char*>(bytes), size});
  return read_or_refuse(reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size(), read);
}

#ifdef NOMU_FUZZ
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  nomu::FuzzRandom random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(bytes, size, most);
  try {
    nomu::ModelFile file({reinterpret_cast<const char*>(bytes), size});
    nomu::change_model(file, random);
    const std::string changed = file.bytes();
    if (changed.size() > most) return LLVMFuzzerMutate(bytes, size, most);
    std::memcpy(bytes, changed.data(), changed.size());
    return changed.size();
  } catch (const nlohmann::json::exception&) {
    return LLVMFuzzerMutate(bytes, size, most);
  }
}
#endif
