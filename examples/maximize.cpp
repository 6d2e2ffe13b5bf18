// Maximises a function on a box with one call.

#include <cstdio>
#include <nomu/nomu.hpp>

int main() {
  const nomu::Optimum found =
      nomu::maximize([](const nomu::Point& x) { return -(x[0] - 0.3) * (x[0] - 0.3) - (x[1] + 0.5) * (x[1] + 0.5); },
                     nomu::Space::box(2, -1.0, 1.0), {.evaluations = 25});
  std::printf("%.4f at (%.3f, %.3f) after %zu evaluations\n", found.value, found.point[0], found.point[1],
              found.trials.size());
  return found.value > -0.05 ? 0 : 1;
}
