#include <fmt/format.h>

#include <algorithm>

#include "bo/study/trial_columns.hpp"
#include "nomu/bo/trial_io.hpp"

namespace nomu {

Table trials_table(const Space& space, const std::vector<Trial>& trials) {
  Table table("trials");
  std::vector<std::string> cells(trials.size());
  const auto column = [&](const std::string& name, const auto& text) {
    for (std::size_t i = 0; i < trials.size(); ++i) cells[i] = text(trials[i]);
    table.add_column(name, cells);
  };
  std::vector<std::vector<bool>> active;  // [trial][variable]
  active.reserve(trials.size());
  for (const Trial& trial : trials) active.push_back(space.active(trial.point));
  column(own_column(space, "trial"), [](const Trial& t) { return fmt::format("{}", t.id); });
  column(own_column(space, "state"), [](const Trial& t) { return std::string(state_name(t.state)); });
  for (std::size_t j = 0; j < space.size(); ++j) {
    column(space.variables()[j].name, [&](const Trial& t) {
      const auto i = static_cast<std::size_t>(&t - trials.data());
      return active[i][j] ? space.text(j, t.point[j]) : std::string();
    });
  }
  column(own_column(space, "value"), [](const Trial& t) { return t.value ? format_number(*t.value) : std::string(); });
  if (std::any_of(trials.begin(), trials.end(), [](const Trial& t) { return t.cost.has_value(); }))
    column(own_column(space, "cost"), [](const Trial& t) { return t.cost ? format_number(*t.cost) : std::string(); });
  column(own_column(space, "reason"), [](const Trial& t) { return t.reason; });
  return table;
}

}  // namespace nomu
