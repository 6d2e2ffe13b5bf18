#include "nomu/data/cohort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/cohort";

void check_members(std::span<const DataSet> members, std::size_t seeds) {
  if (members.empty()) throw DataError(where, "a cohort needs at least one member");
  if (seeds != members.size()) {
    throw DataError(where,
                    fmt::format("{} seeds given for {} members; give one seed per member", seeds, members.size()));
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    check_dataset(members[m]);
    if (members[m].cols() != members[0].cols()) {
      throw DataError(where,
                      fmt::format("member {} has {} input columns, member 0 has {}; members of a cohort must agree", m,
                                  members[m].cols(), members[0].cols()));
    }
    if (members[m].noise.empty() != members[0].noise.empty()) {
      throw DataError(
          where, fmt::format("member {} has {}known noise, but member 0 has {}; give it for all members or none", m,
                             members[m].noise.empty() ? "no " : "", members[0].noise.empty() ? "none" : "some"));
    }
  }
}

/// Converts a member's values to single precision, into the front of its block.
void narrow(std::span<const double> from, std::span<float> to, std::string_view what, std::size_t member) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<float>(from[i]);
    if (!std::isfinite(to[i])) {
      throw DataError(where, fmt::format("{} {} of member {} does not fit in single precision; scale the data first",
                                         what, from[i], member));
    }
  }
}

/// The blocks of `members`, in this order.
Tensor<float> gather(const Tensor<float>& all, std::span<const std::size_t> members) {
  if (all.empty()) return {};
  Tensor<float> some(members.size(), all.rows(), all.cols());
  for (std::size_t m = 0; m < members.size(); ++m) std::ranges::copy(all.member(members[m]), some.member(m).begin());
  return some;
}

Cohort gather(const Cohort& cohort, std::span<const std::size_t> members, std::span<const std::uint64_t> seeds) {
  return {.x = gather(cohort.x, members),
          .y = gather(cohort.y, members),
          .row_weight = gather(cohort.row_weight, members),
          .noise = gather(cohort.noise, members),
          .seeds = {seeds.begin(), seeds.end()},
          .unlabelled =
              cohort.unlabelled.members() == cohort.members() ? gather(cohort.unlabelled, members) : cohort.unlabelled};
}

}  // namespace

Cohort pack(std::span<const DataSet> members, std::span<const std::uint64_t> seeds) {
  check_members(members, seeds.size());
  std::size_t rows = 0;
  for (const DataSet& member : members) rows = std::max(rows, member.rows());
  const std::size_t count = members.size();
  Cohort cohort{.x = {count, rows, members[0].cols()},
                .y = {count, rows, 1},
                .row_weight = {count, rows, 1},
                .noise = {},
                .seeds = {seeds.begin(), seeds.end()},
                .unlabelled = {}};
  // Noise is 1 in the padding so that its logarithm and reciprocal stay finite under a weight of 0.
  if (!members[0].noise.empty()) cohort.noise = Tensor<float>(count, rows, 1, 1.0F);
  for (std::size_t m = 0; m < count; ++m) {
    const DataSet& member = members[m];
    narrow(member.inputs, cohort.x.member(m), "input", m);
    narrow(member.targets, cohort.y.member(m), "target", m);
    narrow(member.row_weight, cohort.row_weight.member(m), "weight", m);
    if (member.row_weight.empty()) std::ranges::fill(cohort.row_weight.member(m).first(member.rows()), 1.0F);
    if (!member.noise.empty()) narrow(member.noise, cohort.noise.member(m), "noise", m);
  }
  return cohort;
}

Cohort repeat(const DataSet& data, std::span<const std::uint64_t> seeds) {
  const std::uint64_t placeholder = 0;
  return repeat(pack({&data, 1}, {&placeholder, 1}), seeds);
}

Cohort repeat(const Cohort& cohort, std::span<const std::uint64_t> seeds) {
  const std::size_t count = cohort.members();
  if (seeds.empty() || count == 0 || seeds.size() % count != 0) {
    throw DataError(where, fmt::format("{} seeds cannot be shared evenly by {} members", seeds.size(), count));
  }
  std::vector<std::size_t> members(seeds.size());
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = i / (seeds.size() / count);
  return gather(cohort, members, seeds);
}

std::size_t member_rows(const Cohort& cohort, std::size_t member) {
  if (member >= cohort.members()) {
    throw DataError(
        where, fmt::format("member {} requested, but there are only {} (counted from 0)", member, cohort.members()));
  }
  const std::span<const float> weight = cohort.row_weight.member(member);
  std::size_t rows = weight.size();
  while (rows > 0 && weight[rows - 1] == 0.0F) --rows;
  return rows;
}

}  // namespace nomu
