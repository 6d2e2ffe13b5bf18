"""Python values as the text form of the library's settings."""

from collections.abc import Mapping
from numbers import Integral, Real

_LARGEST_SEED = 2**31 - 1


def text_of(value):
    """``True`` -> "true", ``[64, 64]`` -> "[64, 64]", ``0.1`` -> "0.1"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if type(value).__name__ == "bool_":  # NumPy 1
        return "true" if value else "false"
    try:
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    except TypeError:
        raise TypeError(f"a setting must be a number, a string, a bool or a list of numbers, got {value!r}") from None


def pairs_of(settings):
    """A dictionary as (name, text) pairs, without entries whose value is None."""
    return [(str(name), text_of(value)) for name, value in settings.items() if value is not None]


def checked_settings(settings):
    """The ``settings`` of an estimator; None means no settings."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise TypeError(f'settings must be a dictionary such as {{"train.epochs": 500}}, got {settings!r}')
    return settings


def seed_of(random_state):
    """An integer is used as it is; a NumPy generator (None: the global one) draws the seed."""
    if isinstance(random_state, Integral):
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(_LARGEST_SEED))


def range_of(limits):
    """(low, high) as two floats; None: everything."""
    if limits is None:
        return None
    try:
        low, high = (float(limit) for limit in limits)
    except (TypeError, ValueError):
        raise TypeError(f"range must be two numbers such as (0, inf), got {limits!r}") from None
    return low, high


def settings_help(rows, indent="    "):
    """Settings, as ``_nomu.method_settings`` lists them, for a docstring."""
    lines = []
    for name, values, allowed, doc in rows:
        first, *others = values.items()
        default = first[1] or "empty"
        default += "".join(f", {preset}: {value}" for preset, value in others if value != first[1])
        lines += [f"{indent}{name} : {allowed}", f"{indent}    {doc[:1].upper()}{doc[1:]}. Default: {default}."]
    return "\n".join(lines)
