#pragma once
// The parts of the live page that change with the study, drawn once for all viewers.

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "serve/model_watch.hpp"
#include "serve/study_desk.hpp"
#include "serve/study_view.hpp"

namespace nomu {

class LiveParts {
 public:
  /// All must outlive it.
  LiveParts(StudyDesk& desk, const StudyView& view, ModelWatch& models, std::optional<double> optimum)
      : desk_(desk), view_(view), models_(models), optimum_(optimum) {}

  struct Drawn {
    std::int64_t event = -1;                        ///< of the study
    std::int64_t model = -1;                        ///< number of the model
    std::map<std::string, std::string> parts = {};  ///< HTML by the id of its section
  };
  /// All parts as they are now, or were a second ago.
  [[nodiscard]] Drawn all();
  /// Only those that may have changed since.
  [[nodiscard]] Drawn since(std::int64_t event, std::int64_t model);

 private:
  void draw();
  void draw_summary(const StudyStatus& status, std::int64_t budget);
  void draw_trials(const StudyStatus& status, const StudyView::State& state);
  void draw_model();

  StudyDesk& desk_;
  const StudyView& view_;
  ModelWatch& models_;
  std::optional<double> optimum_;
  std::mutex mutex_;
  Drawn drawn_;
  std::int64_t readings_ = 0;  // of the state that was drawn
  std::chrono::steady_clock::time_point drawn_at_ = {};
};

}  // namespace nomu
