#pragma once
// Text that model files hold is UTF-8; better to refuse other text before a fit than after it.

#include "nomu/data/dataset.hpp"

namespace nomu {

/// Throws DataError naming the column unless the names, notes and cells that a model keeps of these rows are UTF-8.
void check_stored_text(const DataSet& data);

/// The same of the strata alone, all that a calibration keeps of its rows as text.
void check_stored_strata(const DataSet& data);

}  // namespace nomu
