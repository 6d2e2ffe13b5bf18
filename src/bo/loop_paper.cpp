// How the paper set its methods up for Bayesian optimisation (Appendix B.3.1 and what its published runs did).

#include <fmt/format.h>

#include "nomu/bo/loop.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

void set(const Fields& fields, std::initializer_list<std::pair<const char*, const char*>> settings) {
  for (const auto& [name, value] : settings) fields.set_text(name, value);
}

}  // namespace

LoopSpec LoopSpec::paper(std::string_view method, double mean_width, std::size_t dimension) {
  LoopSpec spec{.dynamic = DynamicC::as_published()};
  if (method == "rand") return spec;
  spec.mean_width = mean_width;
  if (method == "nomu") {
    spec.method = method_preset("nomu", "published", dimension);
    // 500 fresh points on [-1,1]^d, no clipping.
    set(fields_of(*spec.method), {{"mu_sqr", "1"},
                                  {"readout.sigma_min", "1e-6"},
                                  {"augment.kind", "uniform"},
                                  {"augment.count", "500"},
                                  {"augment.box", "cube"},
                                  {"augment.reach", "1"},
                                  {"train.clip_norm", "0"}});
    return spec;
  }
  if (method == "gp" || method == "pgp") {
    spec.method = method_preset("gp", "published", dimension);
    set(fields_of(*spec.method), {{"target", "standardised"}, {"sigma_floor", "1e-6"}});
    if (method == "pgp") spec.mean_width.reset();
    return spec;
  }
  if (method == "mcdo") {
    spec.method = method_preset("mc_dropout", "published", dimension);
    set(fields_of(*spec.method), {{"passes", "10"}, {"train.clip_norm", "0"}, {"train.batch_size", "32"}});
    return spec;
  }
  if (method == "de") {
    spec.method = method_preset("deep_ensemble", "published", dimension);
    set(fields_of(*spec.method), {{"train.clip_norm", "0"}});
    return spec;
  }
  if (method == "hde") {
    spec.method = method_preset("hyper_deep_ensemble", "published", dimension);
    set(fields_of(*spec.method),
        {{"candidates", "20"}, {"train.clip_norm", "0"}, {"published_sigma", "false"}, {"published_score", "false"}});
    return spec;
  }
  throw ConfigError(
      "bo/loop", fmt::format("'{}' is no method of the paper; there are nomu, gp, pgp, mcdo, de, hde, rand", method));
}

}  // namespace nomu
