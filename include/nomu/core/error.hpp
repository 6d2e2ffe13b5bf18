#pragma once
/// Errors of the library. Each carries where it arose ("[data/table_io]"), what is wrong and what to do about it.

#include <stdexcept>
#include <string>
#include <string_view>

namespace nomu {

/// Base of everything the library throws on purpose; `what()` reads "[where] message".
class Error : public std::runtime_error {
 public:
  Error(std::string_view where, std::string_view message);
};

/// A setting is out of its range, unknown, or contradicts another one.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A file or a table does not hold what it should.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A device is missing, too small for the job, or failed.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The caller asked to stop; nothing is wrong.
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace nomu
