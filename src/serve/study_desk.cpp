#include "serve/study_desk.hpp"

#include <algorithm>

#include "nomu/core/error.hpp"

namespace nomu {

StudyDesk::StudyDesk(const OpenStudy& open, std::stop_token stop)
    : stop_(std::move(stop)),
      reading_(open()),
      asking_(open()),
      telling_(open()),
      questions_([this](const std::vector<Question>& questions) { return ask_together(questions); }),
      answers_([this](const std::vector<Answers>& answers) { return tell_together(answers); }) {}

std::vector<Trial> StudyDesk::ask(std::size_t count, const std::string& worker) {
  return questions_.submit({count, worker});
}

std::vector<std::int64_t> StudyDesk::tell(std::vector<TrialResult> results, Repeated repeated) {
  return answers_.submit({std::move(results), repeated});
}

/// Asks the study once for all requests, and distributes the trials in the order of the requests.
std::vector<Outcome<StudyDesk::Trials>> StudyDesk::ask_together(const std::vector<Question>& questions) {
  std::vector<std::string> workers;
  for (const Question& question : questions) workers.insert(workers.end(), question.count, question.worker);
  std::vector<Outcome<Trials>> outcomes(questions.size());
  try {
    Trials trials = asking_.ask(workers, {.report = {}, .stop = stop_});
    auto next = trials.begin();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto left = static_cast<std::size_t>(trials.end() - next);
      const auto end = next + static_cast<std::ptrdiff_t>(std::min(left, questions[i].count));
      outcomes[i].result.emplace(std::make_move_iterator(next), std::make_move_iterator(end));
      next = end;
    }
  } catch (...) {
    for (Outcome<Trials>& outcome : outcomes) outcome = {.error = std::current_exception()};
  }
  return outcomes;
}

/// Returns false if one of them is refused, and then nothing has been recorded.
bool StudyDesk::tell_at_once(const std::vector<Answers>& answers, std::vector<Outcome<Numbers>>& outcomes) {
  std::vector<TrialResult> all;
  for (const Answers& answer : answers) all.insert(all.end(), answer.results.begin(), answer.results.end());
  try {
    const Numbers numbers = telling_.tell(std::move(all), answers.front().repeated);
    auto next = numbers.begin();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto end = next + static_cast<std::ptrdiff_t>(answers[i].results.size());
      outcomes[i].result.emplace(next, end);
      next = end;
    }
  } catch (const ConnectionLost&) {
    for (Outcome<Numbers>& outcome : outcomes) outcome = {.error = std::current_exception()};
  } catch (...) {
    if (answers.size() > 1) return false;
    outcomes.front() = {.error = std::current_exception()};
  }
  return true;
}

/// All in one transaction; if one is refused, each in its own, so that one wrong request does not affect the others.
std::vector<Outcome<StudyDesk::Numbers>> StudyDesk::tell_together(const std::vector<Answers>& answers) {
  std::vector<Outcome<Numbers>> outcomes(answers.size());
  const bool alike = std::all_of(answers.begin(), answers.end(),
                                 [&](const Answers& answer) { return answer.repeated == answers.front().repeated; });
  if (alike && tell_at_once(answers, outcomes)) return outcomes;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    try {
      outcomes[i].result = telling_.tell(answers[i].results, answers[i].repeated);
    } catch (...) {
      outcomes[i].error = std::current_exception();
    }
  }
  return outcomes;
}

}  // namespace nomu
