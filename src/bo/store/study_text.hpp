#pragma once
// The parts of a study as text for its file. Numbers are read back exactly.

#include <string>
#include <string_view>

#include "bo/store/study_store.hpp"

namespace nomu {

[[nodiscard]] std::string number_to_text(double number);
[[nodiscard]] double number_from_text(std::string_view text);
[[nodiscard]] std::string point_to_text(const Point& point);
[[nodiscard]] Point point_from_text(std::string_view text);
[[nodiscard]] std::string space_to_text(const Space& space);
[[nodiscard]] Space space_from_text(std::string_view text);
[[nodiscard]] std::string spec_to_text(const OptimizeSpec& spec);
[[nodiscard]] OptimizeSpec spec_from_text(std::string_view text);
[[nodiscard]] std::string earlier_to_text(const EarlierResults& earlier);
/// Nothing for an empty text.
[[nodiscard]] EarlierResults earlier_from_text(std::string_view text);
/// Everything about an event except its number, kind and trial.
[[nodiscard]] std::string event_to_text(const StudyEvent& event);
[[nodiscard]] StudyEvent event_from_text(std::string_view text);

}  // namespace nomu
