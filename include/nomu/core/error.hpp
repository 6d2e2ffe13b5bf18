#pragma once
/// Errors of the library. Each says where it arose ("[data/table_io]"), what is wrong and what to do about it.

#include <stdexcept>
#include <string>
#include <string_view>

namespace nomu {

/// Base of all errors that the library throws; `what()` reads "[where] message".
class Error : public std::runtime_error {
 public:
  Error(std::string_view where, std::string_view message);

  [[nodiscard]] std::string_view where() const;
  [[nodiscard]] std::string_view message() const;
};

/// A setting is unknown, out of range, or contradicts another one.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A file or table does not hold what it should.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A device is missing or too small for the job: another device, or a smaller job, may do.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A device failed or was lost during the work. The request was fine and may succeed if repeated.
class DeviceFailure : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The server of a study cannot be reached any more. What was being recorded may or may not be recorded; everything
/// before that is. It may be tried again.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

/// The caller asked to stop; nothing is wrong.
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace nomu
