#pragma once
/// The text of the error that a piece of code throws, so that tests can read it. "no error" when there is none.

#include <gmock/gmock.h>

#include <string>

#include "nomu/core/error.hpp"

namespace nomu {

template <class ErrorType = DataError, class Action>
std::string message_of(Action&& action) {
  try {
    (void)action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace nomu
