#pragma once
// The server of a study cannot be reached any more.

#include "nomu/core/error.hpp"

namespace nomu {

/// The connection broke or cannot be restored. The operation in progress may or may not be recorded; all earlier ones
/// are.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

}  // namespace nomu
