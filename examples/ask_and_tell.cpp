// Asks a study for points and records their values. The loop is yours, so the evaluations may happen anywhere.

#include <cmath>
#include <cstdio>
#include <nomu/nomu.hpp>

int main() {
  const nomu::Space space({{.name = "temperature", .low = 20.0, .high = 90.0},
                           {.name = "pressure", .low = 0.1, .high = 10.0, .log = true}});
  nomu::Study study{space, {.direction = nomu::Direction::maximize}};
  for (int i = 0; i < 25; ++i) {
    const nomu::Trial trial = study.ask();
    const double t = (trial.point[0] - 64.0) / 30.0;
    const double p = std::log10(trial.point[1] / 2.0);
    study.tell(trial, 100.0 - 20.0 * t * t - 30.0 * p * p);
  }
  const nomu::Trial best = *study.best();
  std::printf("yield %.2f at %.1f degrees, %.2f bar\n", *best.value, best.point[0], best.point[1]);
  return *best.value > 90.0 ? 0 : 1;
}
