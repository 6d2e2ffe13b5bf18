#pragma once
/// Models as ONNX files that other programs can run: networks, scaling, calibration and the bounds of one level in one
/// graph. An optional part of the library; without it these functions throw ConfigError saying what is missing.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/model.hpp"

namespace nomu {

/// Whether this build can read and write ONNX.
[[nodiscard]] bool onnx_available();

/// The operator set of the files that `pack_onnx` writes.
inline constexpr std::int64_t onnx_opset = 13;

/// The model as the bytes of an ONNX file. Its input `x` is float [n][d], the columns named by `DataSet::input_names`
/// (a column of names is one 0/1 input per name); a model with known noise also reads `noise`, float [n][1]. Its
/// outputs are float [n][1]: `mean`, `sigma_model`, `sigma_noise`, with directed bounds `sigma_below`, and unless the
/// model is uncalibrated `lower` and `upper` at the level, by default the model's own. MC dropout uses the model's
/// masks, the same for every row. Throws ConfigError naming the method when it is not a network, and
/// for a level that the calibration does not support.
[[nodiscard]] std::string pack_onnx(const Model& model, std::optional<double> level = {});

/// The same, written to a file all or nothing.
void save_onnx(const Model& model, const std::filesystem::path& path, std::optional<double> level = {});

}  // namespace nomu
