"""Search spaces: named real, integer and categorical variables, and linear constraints between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real

from . import _nomu
from ._nomu import Variable

__all__ = ["Constraint", "Variable", "categorical", "integer", "real", "space_of"]


class _Unnamed:
    """A variable that gets its name from its key in a dictionary."""

    def __init__(self, make, when, *arguments):
        self._make = make
        self._when = _conditions(when)
        self._arguments = arguments

    def named(self, name):
        made = self._make(name, *self._arguments)
        return made.only_when(self._when) if self._when else made

    def __repr__(self) -> str:
        return repr(self.named("(unnamed)"))


def _conditions(when):
    """{"solver": "cg", "stages": [2, 3]} as pairs of a name and a list of texts."""
    if when is None:
        return []
    if not isinstance(when, Mapping) or not when:
        raise ValueError(f"when must be {{variable: value}} or {{variable: [value, value]}}, got {when!r}")
    pairs = []
    for name, values in when.items():
        listed = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
        pairs.append((str(name), [str(value) for value in listed]))
    return pairs


def real(low: float, high: float, log: bool = False, unit: str = "", when: Mapping | None = None) -> _Unnamed:
    """A real variable; with ``log``, on a logarithmic scale. Pages show its ``unit``, "mm" say.

    ``when={"solver": "cg"}`` (or ``["cg", "lu"]``): the variable counts only where the variable ``solver``, which must
    come first, has this value. Trials elsewhere do not have it.
    """
    return _Unnamed(_nomu.Variable.real, when, float(low), float(high), bool(log), unit)


def integer(low: int, high: int, log: bool = False, unit: str = "", when: Mapping | None = None) -> _Unnamed:
    """A whole number between two bounds, both included; ``unit`` and ``when``: see ``real``."""
    return _Unnamed(_nomu.Variable.integer, when, float(low), float(high), bool(log), unit)


def categorical(choices: Iterable[str], when: Mapping | None = None) -> _Unnamed:
    """One of several choices; ``when``: see ``real``."""
    return _Unnamed(_nomu.Variable.categorical, when, [str(choice) for choice in choices])


def Constraint(terms: Mapping[str, float], at_least: float | None = None, at_most: float | None = None):
    """at_least <= sum of coefficient * value <= at_most, with ``terms`` {variable: coefficient}."""
    return _nomu.Constraint([(str(name), float(c)) for name, c in terms.items()], at_least, at_most)


def _variable(name, given):
    if isinstance(given, _nomu.Variable):
        return given
    if isinstance(given, _Unnamed):
        return given.named(name)
    given = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if not given:
        raise ValueError(f"variable '{name}': give (low, high), a list of names, real(), integer() or categorical()")
    if all(isinstance(item, str) for item in given):
        return categorical(given).named(name)
    if len(given) != 2 or not all(isinstance(item, Real) for item in given):
        raise ValueError(f"variable '{name}': bounds must be two numbers (low, high), got {given}")
    return real(*given).named(name)


def space_of(given, constraints=()) -> _nomu.Space:
    """A search space from a dictionary {name: variable} or a sequence of variables, named x1, x2, ..."""
    if isinstance(given, _nomu.Space):
        return given
    if not isinstance(given, Iterable):
        raise TypeError(f"a space must be {{name: (low, high), ...}} or a list of bounds, got {given!r}")
    named = given.items() if isinstance(given, Mapping) else ((f"x{i}", v) for i, v in enumerate(given, 1))
    return _nomu.Space([_variable(str(name), variable) for name, variable in named], list(constraints))
