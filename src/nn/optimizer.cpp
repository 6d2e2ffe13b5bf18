#include "nomu/nn/optimizer.hpp"

namespace nomu {

Fields fields_of(TrainSpec& spec) {
  constexpr double most_counted = 1e9;  // larger counts could not be multiplied with each other
  Fields f("nn/optimizer");
  f.add("epochs", spec.epochs, Range::between(0, most_counted),
        "passes over the training rows; 0: chosen from the data, where the method does so");
  f.add("batch_size", spec.batch_size, Range::between(0, most_counted), "rows per step; 0: all of them");
  f.add("drop_remainder", spec.drop_remainder, "skip the incomplete last batch of an epoch");
  f.add("learning_rate", spec.learning_rate, Range::positive(), "Adam's learning rate");
  f.add("beta1", spec.beta1, Range::between(0.0, 1.0), "decay of Adam's first moment");
  f.add("beta2", spec.beta2, Range::between(0.0, 1.0), "decay of Adam's second moment");
  f.add("epsilon", spec.epsilon, Range::positive(), "Adam's epsilon, added outside the bias-corrected root");
  f.add("amsgrad", spec.amsgrad, "divide by the largest second moment so far");
  f.add("clip_norm", spec.clip_norm, Range::at_least(0.0), "largest gradient norm per tensor; 0: no clipping");
  f.add_choice("schedule", spec.schedule, {"constant", "cosine"}, "learning rate over the epochs");
  f.add("final_rate", spec.final_rate, Range::between(0.0, 1.0), "cosine: share of the learning rate left at the end");
  f.add_choice("snapshot", spec.snapshot, {"none", "after_update", "exact"}, "which parameters a fit keeps");
  f.add("patience", spec.patience, Range::at_least(0), "stop after this many epochs without a better loss; 0: never");
  f.add("restarts", spec.restarts, Range::between(0, most_counted), "how many times a diverged member is retrained");
  return f;
}

}  // namespace nomu
