"""What a recipe consists of: one decorated function whose annotations check its parameters.

    Size = Annotated[int, Check(is_size, "a whole number, 0 or more")]

    @recipe("eye", short="size", shape=square)
    def _eye(size: Size, scale: Number = 1.0) -> Array:
        return np.eye(size) * scale

A recipe without a shape, or with a parameter that nothing checks, is a TypeError at its definition.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from grader.recipes.literals import Found, described

Shape = tuple[int, ...]
Arguments = Mapping[str, Any]
"""A case's recipes by argument, which `same` may name."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a parameter may be."""

    fits: Callable[[Any], bool]
    kind: str
    """completes the message "'size' is ..., not -1\""""

    def complaints(self, key: str, value: Any, arguments: Arguments) -> Found:
        """Yield what is wrong with the parameter `key`."""
        if not self.fits(value):
            yield (), f"{key!r} is {self.kind}, not {described(value)}"

    def built(self, value: Any, reseed: int) -> Any:
        """Return what the recipe's function gets."""
        return value

    def shaped(self, value: Any, arguments: Arguments) -> Any:
        """Return what the recipe's shape gets."""
        return value

    def is_drawn(self, value: Any) -> bool:
        """Whether another seed changes what is built."""
        return False


class Seed(Check):
    """A parameter that seeds random numbers; `--reseed` shifts it."""

    __slots__ = ()

    def built(self, value: Any, reseed: int) -> Any:
        """Return the shifted seed."""
        return value + reseed

    def is_drawn(self, value: Any) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe; `recipe` defines it."""

    build: Callable[..., Any]
    shape: Callable[..., Shape | None]
    """gets every parameter, nested recipes as their shapes; None for what has no shape"""
    checks: Mapping[str, Check]
    """by parameter, required ones first"""
    defaults: Mapping[str, Any]
    short: str
    """the parameter that a bare value stands for, or ''"""
    together: Callable[..., Found]
    """yields what is wrong with parameters that are sound one by one; gets what `shape` gets"""

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters that have no default."""
        return tuple(key for key in self.checks if key not in self.defaults)

    def built(self, given: Mapping[str, Any], reseed: int) -> Any:
        """Return a fresh value for sound parameters."""
        return self.build(**{k: self.checks[k].built(v, reseed) for k, v in given.items()})

    def shaped(self, given: Mapping[str, Any], arguments: Arguments) -> dict[str, Any]:
        """Return every parameter as `shape` and `together` get it."""
        shaped = {k: self.checks[k].shaped(v, arguments) for k, v in given.items()}
        return {**self.defaults, **shaped}

    def is_drawn(self, given: Mapping[str, Any]) -> bool:
        """Whether another seed changes what is built."""
        return any(self.checks[key].is_drawn(value) for key, value in given.items())


RECIPES: dict[str, Recipe] = {}
"""Every recipe by the name that authors write."""


def _nothing(**parameters: Any) -> Iterator[Any]:
    return iter(())


def recipe(
    name: str,
    *,
    shape: Callable[..., Shape | None],
    short: str = "",
    together: Callable[..., Found] = _nothing,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Define the recipe `name` by the decorated function, which builds it.

    Raises TypeError when a parameter has no check in its annotation, or `short` is not one.
    """

    def define(build: Callable[..., Any]) -> Callable[..., Any]:
        checks = _checks(name, build)
        if short and short not in checks:
            raise TypeError(f"recipe {name}: the short form names no parameter: {short!r}")
        parameters = inspect.signature(build).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        RECIPES[name] = Recipe(build, shape, checks, defaults, short, together)
        return build

    return define


def _checks(name: str, build: Callable[..., Any]) -> dict[str, Check]:
    hints = get_type_hints(build, include_extras=True)
    checks = {}
    for parameter in inspect.signature(build).parameters:
        marks = getattr(hints.get(parameter), "__metadata__", ())
        found = [mark for mark in marks if isinstance(mark, Check)]
        if not found:
            raise TypeError(f"recipe {name}: nothing checks its parameter {parameter!r}")
        checks[parameter] = found[0]
    return checks
