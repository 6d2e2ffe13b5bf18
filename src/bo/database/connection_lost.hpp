#pragma once
// ConnectionLost is an error of the library like the others; this is where the engines look for it.

#include "nomu/core/error.hpp"  // IWYU pragma: export
