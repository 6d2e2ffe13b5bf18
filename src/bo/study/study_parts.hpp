#pragma once
// What a study consists of.

#include <memory>
#include <mutex>

#include "bo/search/suggester.hpp"
#include "bo/store/study_rows.hpp"
#include "bo/store/study_store.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

struct Study::Parts {
  StudyStore store;
  Suggester suggester;
  std::recursive_mutex mutex;    // public functions call each other
  std::int64_t trials_seen = 0;  // there are at least that many

  Parts(std::unique_ptr<Database> database, std::shared_ptr<Engine> engine)
      : store(std::move(database)), suggester(named(store.database(), [&] {
          return Suggester(store.space(), store.spec(), std::move(engine), store.earlier());
        })) {}
  [[nodiscard]] std::lock_guard<std::recursive_mutex> lock() { return std::lock_guard(mutex); }
  [[nodiscard]] std::vector<Trial> ask(const StudyStore::Askers& askers, const Progress& progress);
};

}  // namespace nomu
