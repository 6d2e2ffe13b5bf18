"""The exceptions that nomu raises. Each message reads "[where] what is wrong and what to do about it"."""


class NomuError(Exception):
    """Base class of nomu's exceptions."""


class ConfigError(NomuError, ValueError):
    """A setting is out of range, unknown, or contradicts another one."""


class DataError(NomuError, ValueError):
    """An array, a table or a file is invalid."""


class DeviceError(NomuError, RuntimeError):
    """A device is missing, too small for the job, or failed."""


class ConnectionLost(NomuError, ConnectionError):
    """The server of a study cannot be reached. What was being recorded may or may not be recorded; try again."""


for _error in (NomuError, ConfigError, DataError, DeviceError, ConnectionLost):
    _error.__module__ = "nomu"
