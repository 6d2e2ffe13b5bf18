#pragma once
// The study behind the server: asking, telling and reading each have a connection of their own, so that only requests
// for trials wait for a model.

#include <string>
#include <vector>

#include "nomu/bo/study.hpp"
#include "nomu/serve/serve.hpp"
#include "serve/combined.hpp"

namespace nomu {

class StudyDesk {
 public:
  StudyDesk(const OpenStudy& open, std::stop_token stop);

  /// For everything but asking and telling; calls wait for each other, and none takes long.
  [[nodiscard]] Study& study() { return reading_; }
  [[nodiscard]] const Space& space() const { return reading_.space(); }

  /// Up to `count` trials, fewer if no more are left. Requests that arrive while others wait for a model share the next
  /// one.
  [[nodiscard]] std::vector<Trial> ask(std::size_t count, const std::string& worker);
  [[nodiscard]] std::vector<std::int64_t> tell(std::vector<TrialResult> results, Repeated repeated);

 private:
  struct Question {
    std::size_t count = 1;
    std::string worker;
  };
  struct Answers {
    std::vector<TrialResult> results;
    Repeated repeated = Repeated::refuse;
  };
  using Trials = std::vector<Trial>;
  using Numbers = std::vector<std::int64_t>;
  [[nodiscard]] std::vector<Outcome<Trials>> ask_together(const std::vector<Question>& questions);
  [[nodiscard]] std::vector<Outcome<Numbers>> tell_together(const std::vector<Answers>& answers);
  [[nodiscard]] bool tell_at_once(const std::vector<Answers>& answers, std::vector<Outcome<Numbers>>& outcomes);

  std::stop_token stop_;
  Study reading_, asking_, telling_;
  Combined<Question, Trials> questions_;
  Combined<Answers, Numbers> answers_;
};

}  // namespace nomu
