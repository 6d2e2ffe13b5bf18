#include "nomu/models/nomu.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/nomu";

/// What the paper's two presets share; no automatic choices remain.
NomuSpec as_in_the_paper(std::size_t dimension) {
  NomuSpec spec;
  spec.mean_net = spec.sigma_net = MlpSpec{};
  spec.noise_net.hidden = {16};
  spec.train = TrainSpec{};
  spec.l2 = spec.l2_sigma = 1e-8;
  spec.mu_sqr = 0.1;
  spec.mu_exp = 0.01;
  spec.stable = false;
  spec.noise = Noise::none;
  spec.stages = Stages::joint;
  spec.ensemble = 1;
  spec.augment.kind = Augmentation::Kind::uniform;
  spec.augment.count = dimension == 1 ? 128 : dimension == 2 ? 256 : 100 * static_cast<std::int64_t>(dimension);
  spec.augment.box = Augmentation::Box::cube;
  return spec;
}

}  // namespace

NomuSpec NomuSpec::published(std::size_t dimension) {
  NomuSpec spec = as_in_the_paper(dimension);
  spec.gradient = Gradient::coupled;
  spec.train.clip_norm = 1000.0;
  spec.train.snapshot = Snapshot::after_update;
  if (dimension == 1) spec.augment.kind = Augmentation::Kind::grid;
  spec.augment.reach = 1.1;
  return spec;
}

NomuSpec NomuSpec::written(std::size_t dimension) {
  NomuSpec spec = as_in_the_paper(dimension);
  spec.gradient = Gradient::stopped;
  spec.train.clip_norm = 0.0;
  spec.train.snapshot = Snapshot::exact;
  spec.augment.reach = 1.0;
  return spec;
}

Fields fields_of(NomuSpec& spec) {
  Fields f(where);
  f.add("mu_sqr", spec.mu_sqr, Range::at_least(0.0),
        "weight of term (b): how strongly sigma is pinned to zero at the data; 0: automatic");
  f.add("mu_exp", spec.mu_exp, Range::at_least(0.0),
        "weight of term (c): how strongly sigma is lifted elsewhere; 0: automatic");
  f.add("c_exp", spec.c_exp, Range::positive(), "exponent of term (c): how strongly small sigmas are penalised");
  f.add("l2", spec.l2, Range::at_least(-1.0),
        "L2 penalty on the mean network and the head of the sigma network; negative: automatic");
  f.add("l2_sigma", spec.l2_sigma, Range::at_least(-1.0),
        "L2 penalty on the hidden layers of the sigma network; negative: automatic");
  f.add("l2_noise", spec.l2_noise, Range::at_least(0.0), "L2 penalty on the noise network");
  f.add("stable", spec.stable, "bounded slopes in terms (b) and (c)");
  f.add_choice("gradient", spec.gradient, {"coupled", "stopped"}, "whether the sigma loss reaches the mean network");
  f.add("early_links", spec.early_links, Range::at_least(1),
        "hidden layers of the mean network before its last, counted from 1, that the next layer of the sigma network "
        "reads; none: only the last, read by its output");
  f.added_later("early_links", std::vector<std::int64_t>{});
  f.add_choice("noise", spec.noise, {"none", "known", "learned"}, "what is known about the noise of the targets");
  f.add("noise_floor", spec.noise_floor, Range::positive(),
        "smallest standard deviation of learned noise, on the scale of the fit");
  f.add_choice("stages", spec.stages, {"joint", "two_stage"},
               "all networks together, or first the mean and then sigma with the mean frozen");
  f.add("ensemble", spec.ensemble, Range::between(1, 1e6), "number of fits, from different seeds, that form one model");
  f.add_nested("augment", fields_of(spec.augment));
  f.add_nested("readout", fields_of(spec.readout));
  f.add_nested("mean_net", fields_of(spec.mean_net));
  f.add_nested("sigma_net", fields_of(spec.sigma_net));
  f.add_nested("noise_net", fields_of(spec.noise_net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

}  // namespace nomu
