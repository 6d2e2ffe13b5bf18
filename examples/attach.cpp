// Bounds for a network that another framework trained and exported as ONNX; needs a nomu that was built with ONNX.

#include <cstdio>
#include <nomu/nomu.hpp>

int main(int argc, char** argv) {
  if (argc != 4 || !nomu::onnx_available()) return std::puts("example_attach NETWORK.onnx TABLE.csv TARGET"), 2;
  const auto network = nomu::load_onnx(argv[1]);
  const nomu::FitRequest request{.target = argv[3], .settings = {{"train.epochs", "300"}}};
  const nomu::Model bounds = nomu::fit_bounds(request, network, nomu::read_table(argv[2]));
  nomu::save_attached(*network, bounds, "with_bounds.onnx");  // one file for any runtime
  nomu::save_model(bounds, "bounds.nomu");                    // or the bounds alone, for load_bounds
  std::printf("%s", bounds.describe().c_str());
}
