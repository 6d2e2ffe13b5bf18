// Fits through the C++ front door and saves the model, for tests/cli/test_front_door.py.
//   front_door TABLE TARGET METHOD SEED LEVEL OUT [KEY=VALUE]...

#include <nomu/nomu.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  nomu::FitRequest request{
      .target = argv[2], .method = argv[3], .level = std::stod(argv[5]), .seed = std::stoll(argv[4])};
  for (int i = 7; i < argc; ++i) request.settings.push_back(nomu::parse_setting(argv[i]));
  nomu::save_model(nomu::fit(request, nomu::read_table(argv[1]), nomu::make_engine({.threads = 1})), argv[6]);
}
