"""What nomu raises on purpose. Each message reads "[where] what is wrong and what to do about it"."""


class NomuError(Exception):
    """Base of everything nomu raises on purpose."""


class ConfigError(NomuError, ValueError):
    """A setting is out of its range, unknown, or contradicts another one."""


class DataError(NomuError, ValueError):
    """Numbers, a table or a file do not hold what they should."""


class DeviceError(NomuError, RuntimeError):
    """A device is missing, too small for the job, or failed."""


for _error in (NomuError, ConfigError, DataError, DeviceError):
    _error.__module__ = "nomu"
