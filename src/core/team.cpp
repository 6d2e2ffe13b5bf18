#include "core/team.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "core/subnormals.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// How many forks lie between this process and the first one. Threads stay in the parent, so a team made before the
/// last fork has none.
std::atomic<std::uint32_t>& forks() {
  static std::atomic<std::uint32_t> count{0};
  [[maybe_unused]] static const int watched = pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1); });
  return count;
}

std::vector<Post*> addresses(std::span<const std::unique_ptr<Post>> posts) {
  std::vector<Post*> found;
  for (const std::unique_ptr<Post>& post : posts) found.push_back(post.get());
  return found;
}

}  // namespace

Team::Team(std::size_t threads, const std::function<void()>& prepare) : born_(forks().load()) {
  for (std::size_t i = 1; i < threads; ++i) posts_.push_back(std::make_unique<Post>());
  all_ = std::make_unique<Crew>(addresses(posts_));
  threads_.reserve(posts_.size());
  try {
    for (const std::unique_ptr<Post>& post : posts_) {
      threads_.emplace_back([&post = *post, prepare] {
        const FlushSubnormals flush;
        if (prepare) prepare();
        post.serve();
      });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    dismiss();
    throw Error("core/team", fmt::format("only {} of {} threads could be started ({}); use fewer (--threads)",
                                         started + 1, threads, error.code().message()));
  }
}

Team::~Team() {
  if (orphaned()) {
    // The threads stayed in the parent, so there is nothing to join. Constructing the handle again makes it forget its
    // thread.
    for (std::thread& thread : threads_) std::construct_at(&thread);
    return;
  }
  dismiss();
}

void Team::dismiss() {
  for (const std::unique_ptr<Post>& post : posts_) post->close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Team::orphaned() const { return born_ != forks().load(std::memory_order_relaxed); }

void Team::together(const std::function<void(const Runner&)>& work) {
  const FlushSubnormals flush;
  const std::unique_lock alone(running_, std::try_to_lock);
  work(alone && !orphaned() ? Runner(*all_) : Runner());
}

void Team::run(std::size_t pieces, const Crew::Task& task) {
  together([&](const Runner& runner) { runner.run(pieces, task); });
}

std::size_t Team::first_of(std::size_t crew, std::size_t crews) const { return size() * crew / crews; }

std::size_t Team::size_of_crew(std::size_t crew, std::size_t crews) const {
  return first_of(crew + 1, crews) - first_of(crew, crews);
}

void Team::split(std::size_t crews, const std::function<void(std::size_t crew, const Runner&)>& lead) {
  const FlushSubnormals flush;
  const std::unique_lock alone(running_, std::try_to_lock);
  if (!alone || orphaned()) {
    for (std::size_t c = 0; c < crews; ++c) lead(c, Runner());
    return;
  }
  // Thread t > 0 of the team serves at post t - 1; thread 0 is the caller.
  std::vector<Post*> leaders;
  std::vector<std::unique_ptr<Crew>> parts;
  for (std::size_t c = 0; c < crews; ++c) {
    const std::size_t first = first_of(c, crews);
    if (c > 0) leaders.push_back(posts_[first - 1].get());
    parts.push_back(std::make_unique<Crew>(addresses(std::span(posts_).subspan(first, size_of_crew(c, crews) - 1))));
  }
  Crew(std::move(leaders)).run(crews, crews, [&](std::size_t c, std::size_t /*worker*/) {
    lead(c, Runner(*parts[c]));
  });
}

void side_by_side(std::size_t pieces, std::int64_t threads, const std::function<void(std::size_t)>& work) {
  Team team(std::min(pieces, static_cast<std::size_t>(std::max<std::int64_t>(threads, 1))));
  team.run(pieces, [&work](std::size_t piece, std::size_t /*worker*/) { work(piece); });
}

void for_each_part(std::size_t count, std::int64_t threads,
                   const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t part = 512;
  side_by_side((count + part - 1) / part, threads,
               [&](std::size_t p) { work(p * part, std::min(count, (p + 1) * part)); });
}

std::int64_t threads_of_each(std::size_t pieces, std::int64_t threads) {
  return std::max<std::int64_t>(threads / static_cast<std::int64_t>(std::max<std::size_t>(pieces, 1)), 1);
}

}  // namespace nomu
