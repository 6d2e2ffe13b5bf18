// Replaces the ONNX part when the library is built without it.

#include "nomu/core/error.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse() {
  throw ConfigError("interchange/onnx",
                    "this nomu was built without ONNX; install libonnx-dev and libprotobuf-dev and rebuild it");
}

}  // namespace

bool onnx_available() { return false; }

std::string pack_onnx(const Model& /*model*/, std::optional<double> /*level*/) { refuse(); }

std::shared_ptr<const OnnxNetwork> parse_onnx(std::string /*bytes*/, std::string_view /*source*/,
                                              const OnnxChoice& /*choice*/) {
  refuse();
}

std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& /*path*/, const OnnxChoice& /*choice*/) {
  refuse();
}

std::string pack_attached(const OnnxNetwork& /*network*/, const Model& /*model*/, std::optional<double> /*level*/) {
  refuse();
}

void save_attached(const OnnxNetwork& /*network*/, const Model& /*model*/, const std::filesystem::path& /*path*/,
                   std::optional<double> /*level*/) {
  refuse();
}

void save_onnx(const Model& /*model*/, const std::filesystem::path& /*path*/, std::optional<double> /*level*/) {
  refuse();
}

}  // namespace nomu
