#include "nomu/models/evidence.hpp"

namespace nomu {

Fields fields_of(EvidenceSpec& spec) {
  Fields f("evidence");
  f.add_choice("use", spec.use, {"auto", "yes", "no"},
               "whether penalties and noise are chosen by predictions of unseen rows");
  f.add("folds", spec.folds, Range::between(2, 1000),
        "networks per candidate, each trained without one part of the rows");
  f.add("penalties", spec.penalties, Range::at_least(0.0), "candidates for l2, per row of a batch");
  f.add("noise_penalties", spec.noise_penalties, Range::at_least(0.0), "candidates for l2_noise, per row of a batch");
  f.add("kept", spec.kept, Range::between(1, 1000), "number of candidates that are mixed into the model");
  f.add("steps", spec.steps, Range::between(0, 1e6),
        "additional inputs for each number: steps between its quantiles; fewer if there are many columns");
  f.add("trend", spec.trend, "whether the networks learn the residuals of a linear model");
  f.add("warp", spec.warp, "whether skewed and heavy-tailed targets may be learned on another scale");
  f.add("sigma_far", spec.sigma_far, Range::positive(),
        "sigma_model far from the data, in standard deviations of the target");
  f.add("effort", spec.effort, Range::positive(), "factor on the number of training steps, if that is automatic");
  f.add("most_rows", spec.most_rows, Range::at_least(100), "largest number of rows on which candidates are compared");
  return f;
}

}  // namespace nomu
