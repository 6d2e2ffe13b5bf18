#pragma once
// The server of a study cannot be reached any more.

#include "nomu/core/error.hpp"

namespace nomu {

/// The connection broke or cannot be made again. What was under way is recorded or not; everything before it is.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

}  // namespace nomu
