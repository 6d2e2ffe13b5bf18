// What the predictions of a CV+ model cost: mean and sigma alone, bounds, and a predicted table.
//   bench_predict [ROWS]

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nomu/nomu.hpp>

namespace {

/// Least of five, in milliseconds.
double milliseconds(const std::function<void()>& work) {
  double least = 1e300;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

nomu::DataSet rows_of(std::size_t rows, std::size_t cols) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < cols; ++j) {
      x.push_back(std::sin(static_cast<double>(i * (j + 3)) * 0.7));
      sum += x.back() / static_cast<double>(j + 1);
    }
    y.push_back(sum);
  }
  return nomu::make_dataset(x, cols, y);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  const auto engine = std::shared_ptr<nomu::Engine>(nomu::make_engine({.threads = 2}));
  const nomu::FitRequest request{.settings = {{"train.epochs", "50"}}};
  const nomu::Model model = nomu::fit(request, rows_of(150, 20), engine);
  const nomu::Model alone =
      nomu::fit({.settings = {{"train.epochs", "50"}}, .calibration = "none"}, rows_of(150, 20), engine);
  const nomu::DataSet fresh = rows_of(rows, 20);
  const double one = milliseconds([&] { (void)alone.predict(fresh.inputs); });
  const auto print = [&](const char* what, double ms) { std::printf("%-32s %8.1f ms  %5.2f\n", what, ms, ms / one); };
  std::printf("%zu rows, %zu members\n", rows, model.fitted().members());
  print("one model without folds", one);
  print("predict", milliseconds([&] { (void)model.predict(fresh.inputs); }));
  print("bounds", milliseconds([&] { (void)model.bounds(fresh.inputs, 0.9); }));
}
