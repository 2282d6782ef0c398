"""Define recipes: each is one decorated function whose annotations check its parameters.

    Size = Annotated[int, Check(is_size, "a whole number, 0 or more")]

    @recipe("eye", short="size", shape=square)
    def _eye(size: Size, scale: Number = 1.0) -> Array:
        return np.eye(size) * scale

A recipe without a shape or with an unchecked parameter is a TypeError when it is defined.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from grader.recipes.literals import Complaints, described

Shape = tuple[int, ...]
Arguments = Mapping[str, Any]
"""A case's recipes by argument name; `same` refers to them."""


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """Checks the value of one parameter."""

    fits: Callable[[Any], bool]
    kind: str
    """completes the message "'size' is ..., not -1\""""

    def complaints(self, key: str, value: Any, arguments: Arguments) -> Complaints:
        """Yield the complaints about the value of parameter `key`."""
        if not self.fits(value):
            yield (), f"{key!r} is {self.kind}, not {described(value)}"

    def built(self, value: Any, reseed: int) -> Any:
        """Return the value to pass to the recipe's function."""
        return value

    def shaped(self, value: Any, arguments: Arguments) -> Any:
        """Return the value to pass to the recipe's `shape`."""
        return value

    def is_drawn(self, value: Any) -> bool:
        """Return whether the built value depends on a seed."""
        return False


class Seed(Check):
    """Checks a seed of random numbers, which `--reseed` shifts."""

    __slots__ = ()

    def built(self, value: Any, reseed: int) -> Any:
        """Return the shifted seed."""
        return value + reseed

    def is_drawn(self, value: Any) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """One recipe; `recipe` defines it."""

    build: Callable[..., Any]
    shape: Callable[..., Shape | None]
    """(all parameters, with shapes in place of nested recipes) -> shape, None if there is none"""
    checks: Mapping[str, Check]
    """by parameter, required ones first"""
    defaults: Mapping[str, Any]
    short: str
    """name of the parameter that may be given without its name, or ''"""
    joint_check: Callable[..., Complaints]
    """yields complaints about combinations of valid parameters; takes the same as `shape`"""

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters without a default."""
        return tuple(key for key in self.checks if key not in self.defaults)

    def built(self, given: Mapping[str, Any], reseed: int) -> Any:
        """Return a new value built from valid parameters; seeds are shifted by `reseed`."""
        return self.build(**{k: self.checks[k].built(v, reseed) for k, v in given.items()})

    def shaped(self, given: Mapping[str, Any], arguments: Arguments) -> dict[str, Any]:
        """Return all parameters as `shape` and `joint_check` take them."""
        shaped = {k: self.checks[k].shaped(v, arguments) for k, v in given.items()}
        return {**self.defaults, **shaped}

    def is_drawn(self, given: Mapping[str, Any]) -> bool:
        """Return whether the built value depends on a seed."""
        return any(self.checks[key].is_drawn(value) for key, value in given.items())


RECIPES: dict[str, Recipe] = {}
"""all recipes by the name that authors write"""


def _no_complaints(**parameters: Any) -> Iterator[Any]:
    return iter(())


def recipe(
    name: str,
    *,
    shape: Callable[..., Shape | None],
    short: str = "",
    joint_check: Callable[..., Complaints] = _no_complaints,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that defines the recipe `name`; the decorated function builds its value.

    The decorator raises TypeError if a parameter has no check in its annotation or `short` is not
    a parameter.
    """

    def define(build: Callable[..., Any]) -> Callable[..., Any]:
        checks = _checks(name, build)
        if short and short not in checks:
            raise TypeError(f"recipe {name}: the short form {short!r} is not a parameter")
        parameters = inspect.signature(build).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        RECIPES[name] = Recipe(build, shape, checks, defaults, short, joint_check)
        return build

    return define


def _checks(name: str, build: Callable[..., Any]) -> dict[str, Check]:
    hints = get_type_hints(build, include_extras=True)
    checks = {}
    for parameter in inspect.signature(build).parameters:
        marks = getattr(hints.get(parameter), "__metadata__", ())
        own = [mark for mark in marks if isinstance(mark, Check)]
        if not own:
            raise TypeError(f"recipe {name}: its parameter {parameter!r} has no check")
        checks[parameter] = own[0]
    return checks
