#include "engine/cuda/session.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/cuda/cohort_data.hpp"
#include "engine/cuda/graph.hpp"
#include "engine/cuda/program.hpp"
#include "engine/cuda/train_arrays.hpp"
#include "engine/preflight.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cuda {
namespace {

constexpr const char* where = "engine/cuda";
constexpr std::int64_t graph_rounds = 16;
constexpr std::int64_t resident_rounds = 64;

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

class CudaSession final : public Session {
 public:
  CudaSession(const TrainPlan& plan, Precision precision, Hardware hardware)
      : networks_(plan.networks),
        train_(plan.train),
        seeds_(plan.seeds),
        layout_(make_layout(plan.networks, plan.loss.kind)),
        precision_(precision),
        hardware_(hardware),
        size_(step_size(plan, precision)),
        host_program_(make_program(plan.networks, layout_, size_)),
        program_(host_program_, size_, narrow(plan.members()), hardware.processors, precision),
        data_(plan),
        resident_bytes_(resident_size(plan)),
        arrays_(plan, layout_, host_program_, size_, resident()) {
    check_start(plan, layout_);
    describe(plan);
    for (const std::uint64_t seed : seeds_) reports_.emplace_back().seed = seed;
    states_.resize(seeds_.size());
    place_buffers();
    start_parameters(plan);
    upload_states();
    refresh_squares();
  }

  void run(std::int64_t epochs, const std::stop_token& stop) override {
    while (epochs > 0) {
      const std::int64_t part = std::min(epochs, history_length);
      train_part(part, stop);
      epochs -= part;
      if (stop.stop_requested()) throw Cancelled(where, "training was stopped on request");
      if (std::none_of(reports_.begin(), reports_.end(), [](const MemberReport& r) { return r.active(); })) return;
    }
  }

  [[nodiscard]] Tensor<float> forward(const Tensor<float>& x, DropoutPass dropout) const override {
    std::vector<std::uint32_t> buffers;
    for (const MemberState& state : states_)
      buffers.push_back(final_buffer() == Buffer::best ? state.best : state.current);
    Tensor<float> out(states_.size(), x.rows(), layout_.outputs);
    predict({.networks = networks_,
             .layout = layout_,
             .precision = precision_,
             .hardware = hardware_,
             .weights = view_.weights,
             .buffers = buffers,
             .first_member = 0,
             .dropout = dropout,
             .seeds = seeds_},
            x, out);
    return out;
  }

  [[nodiscard]] Tensor<float> parameters() const override { return collect(final_buffer()); }

  [[nodiscard]] const std::vector<MemberReport>& reports() const override { return reports_; }

  [[nodiscard]] TrainState state() const override {
    TrainState state{.parameters = collect(Buffer::current),
                     .first_moment = download(arrays_.first),
                     .second_moment = download(arrays_.second),
                     .largest_moment = {},
                     .best_parameters = {},
                     .steps = {},
                     .reports = reports_};
    if (train_.amsgrad) state.largest_moment = download(arrays_.largest);
    if (train_.snapshot != Snapshot::none) state.best_parameters = collect(Buffer::best);
    for (const MemberState& member : states_) state.steps.push_back(member.step);
    return state;
  }

  void restore(const TrainState& state) override {
    check_state(state, states_.size(), layout_.parameters);
    const std::size_t all = states_.size() * layout_.parameters;
    if (train_.snapshot != Snapshot::none) {
      const Tensor<float> best = state.best_parameters.empty() ? collect(Buffer::best) : state.best_parameters;
      arrays_.weights.upload(best.flat(), all);
    }
    arrays_.weights.upload(state.parameters.flat());
    arrays_.first.upload(state.first_moment.flat());
    arrays_.second.upload(state.second_moment.flat());
    if (train_.amsgrad && !state.largest_moment.empty()) arrays_.largest.upload(state.largest_moment.flat());
    reports_ = state.reports;
    for (std::size_t m = 0; m < states_.size(); ++m) {
      states_[m] = {};
      states_[m].course = reports_[m];
      states_[m].step = state.steps[m];
    }
    place_buffers();
    upload_states();
    refresh_squares();
  }

 private:
  void describe(const TrainPlan& plan) {
    program_.describe(view_);
    data_.describe(view_);
    arrays_.describe(view_);
    view_.parameters = layout_.parameters;
    view_.members = narrow(plan.members());
    view_.inputs = narrow(layout_.inputs);
    view_.outputs = narrow(layout_.outputs);
    view_.layers = narrow(layout_.layers.size());
    view_.most_rows = size_.rows;
    view_.history_length = history_length;
    view_.rounded = precision_ != Precision::fp32;
    view_.train = plan.train;
    view_.reduction = plan.loss.reduction;
    view_.augment = plan.augment.kind;
    view_.augment_count = narrow(plan.augment.count);
  }

  /// Both buffers start with the same parameters, because those that are never trained must be in each.
  void start_parameters(const TrainPlan& plan) {
    const std::size_t all = plan.members() * layout_.parameters;
    arrays_.first.clear();
    arrays_.second.clear();
    arrays_.largest.clear();
    arrays_.weights.clear();
    if (plan.start.empty()) {
      for (const InitLayer& layer : host_program_.init) start_draw(view_, layer, stream_.get());
      stream_.wait();
    } else {
      arrays_.weights.upload(plan.start.flat());
    }
    if (train_.snapshot == Snapshot::none) return;
    arrays_.weights.repeat(all, all);
  }

  /// Where parameters and snapshot are before the first round.
  void place_buffers() {
    for (MemberState& state : states_) {
      state.current = 0;
      state.best = train_.snapshot == Snapshot::none ? 0 : 1;
    }
  }

  void upload_states() { arrays_.state.upload(states_); }

  /// Whether members stay in the shared memory of a processor while they are trained. Depends only on the plan's shapes
  /// and the device, never on the cohort.
  [[nodiscard]] bool resident() const { return resident_bytes_ <= hardware_.shared_bytes; }

  [[nodiscard]] std::size_t resident_size(const TrainPlan& plan) const {
    return resident_bytes({.parameters = layout_.parameters,
                           .workspace = host_program_.workspace,
                           .rows = size_.rows,
                           .ordered_rows = size_.data_rows < plan.x.rows() ? plan.x.rows() : 0,
                           .amsgrad = plan.train.amsgrad});
  }

  void refresh_squares() {
    if (resident()) return;
    start_squares(view_, stream_.get());
    stream_.wait();
  }

  /// One round of every member: a step, or a pass over its rows.
  void start_one_round() const {
    cudaStream_t stream = stream_.get();
    start_round(view_, stream);
    for (const TileList& tiles : program_.forward()) start_forward(view_, tiles, precision_, stream);
    start_row_losses(view_, stream);
    start_decision(view_, stream);
    for (const TileList& tiles : program_.backward()) start_backward(view_, tiles, precision_, stream);
    if (view_.clip != nullptr) {
      start_clipping(view_, program_.trainable_tiles(), precision_, 4 * hardware_.processors, stream);
    }
    start_update(view_, program_.trainable_tiles(), program_.transposed(), precision_, stream);
  }

  /// Graphs of one and of several rounds; recorded at the first run.
  void record() {
    if (single_ != nullptr || resident()) return;
    single_ = std::make_unique<Graph>(stream_, [this] { start_one_round(); });
    several_ = std::make_unique<Graph>(stream_, [this] {
      for (std::int64_t r = 0; r < graph_rounds; ++r) start_one_round();
    });
  }

  [[nodiscard]] std::int64_t rounds_for(std::int64_t epochs) const {
    std::int64_t most = 0;
    for (std::size_t m = 0; m < states_.size(); ++m) {
      const MemberInfo& info = data_.info()[m];
      const std::int64_t rounds = std::int64_t{info.batches} + info.pieces(train_.snapshot);
      if (reports_[m].active()) most = std::max(most, rounds * epochs);
    }
    return most;
  }

  /// Starts some of the rounds that are left; returns how many.
  [[nodiscard]] std::int64_t start_rounds(std::int64_t left) const {
    if (resident()) {
      const std::int64_t rounds = std::min<std::int64_t>(left, resident_rounds);
      start_resident(view_, narrow(static_cast<std::size_t>(rounds)), resident_bytes_, stream_.get());
      return rounds;
    }
    const bool many = left >= graph_rounds;
    (many ? several_ : single_)->start(stream_);
    return many ? graph_rounds : 1;
  }

  void train_part(std::int64_t epochs, const std::stop_token& stop) {
    record();
    for (MemberState& state : states_) {
      state.reported = state.course.epochs;
      state.target = state.course.epochs + epochs;
    }
    upload_states();
    // The host stays one graph ahead of the device, so that neither the device nor a request to stop has to wait.
    std::array<Event, 2> done;
    std::size_t turn = 0;
    for (std::int64_t left = rounds_for(epochs); left > 0 && !stop.stop_requested(); ++turn) {
      left -= start_rounds(left);
      done[turn % 2].mark(stream_);
      if (turn > 0) done[(turn + 1) % 2].wait();
    }
    stream_.wait();
    take_reports();
  }

  void take_reports() {
    std::vector<float> history(states_.size() * history_length);
    arrays_.state.download(states_);
    arrays_.history.download(history);
    for (std::size_t m = 0; m < states_.size(); ++m) {
      MemberState& state = states_[m];
      const auto begin = history.begin() + static_cast<std::ptrdiff_t>(m * history_length);
      reports_[m].history.insert(reports_[m].history.end(), begin, begin + (state.course.epochs - state.reported));
      static_cast<LossCourse&>(reports_[m]) = state.course;
      state.reported = state.course.epochs;
      state.piece = 0;  // an interrupted epoch starts over
      state.sum = 0.0;
    }
  }

  [[nodiscard]] Buffer final_buffer() const {
    return train_.snapshot == Snapshot::none ? Buffer::current : Buffer::best;
  }

  [[nodiscard]] Tensor<float> collect(Buffer buffer) const { return collected(view_, buffer, stream_); }

  [[nodiscard]] Tensor<float> download(const DeviceArray<float>& array) const {
    Tensor<float> out(states_.size(), 1, layout_.parameters);
    array.download(out.flat());
    return out;
  }

  Networks networks_;
  TrainSpec train_;
  std::vector<std::uint64_t> seeds_;
  Layout layout_;
  Precision precision_;
  Hardware hardware_;
  StepSize size_;
  Program host_program_;
  DeviceProgram program_;
  CohortData data_;
  std::size_t resident_bytes_;
  TrainArrays arrays_;
  View view_{};
  Stream stream_;
  std::unique_ptr<Graph> single_, several_;
  std::vector<MemberState> states_;
  std::vector<MemberReport> reports_;
};

}  // namespace

std::unique_ptr<Session> make_session(const TrainPlan& plan, Precision precision, Hardware hardware) {
  return std::make_unique<CudaSession>(plan, precision, hardware);
}

}  // namespace nomu::engine::cuda
