"""One YAML document as typed values, and every complaint about it.

Scalars are read as YAML 1.2's core schema does (yaml.org/spec/1.2.2, chapter 10.3.2): `1e-6` is
a number, `no` is text, `12:30` is text. Repeated keys are complaints. Nothing outside this
package sees a node.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.errors import closest, nearest, offer
from grader.loading.nodes import Nodes, Path_

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    **dict.fromkeys(["null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], float("inf")),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
}

_MERGE = "Merge keys are not part of YAML 1.2: write the keys out."
_BOOLEANS = "In YAML 1.2 only true and false are booleans; yes, no, on and off are text."

Fields = Mapping[str, tuple[Node, Node]]
"""The key node and value node of a mapping, by key."""


class Document(Nodes):
    """A file as typed values: each reading complains about anything else."""

    def fields(
        self, node: Node, at: Path_, required: Iterable[str], optional: Iterable[str] = ()
    ) -> Fields:
        """Return the fields of a mapping with known keys; complain about the rest."""
        required = list(required)
        known = [*required, *optional]
        fields = self.mapping(node, at, f"Its keys are: {', '.join(known)}." if known else "")
        if fields is None:
            return {}
        missing = [key for key in required if key not in fields]
        for key, (key_node, _) in fields.items():
            if key not in known:
                meant = closest(key, known)
                advice = _MERGE if key == "<<" else offer(meant, known)
                self.complain(key_node, f"unknown key {key!r}", (*at, key), advice)
                # A misspelt key is not told a second time as a missing one.
                missing = [name for name in missing if name != meant]
        if missing:
            keys = "key" if len(missing) == 1 else "keys"
            self.complain(node, f"missing {keys} {', '.join(map(repr, missing))}", at)
        return {key: pair for key, pair in fields.items() if key in known}

    def mapping(
        self, node: Node, at: Path_, advice: str = ""
    ) -> dict[str, tuple[Node, Node]] | None:
        """Return a mapping's fields by key, or None after complaining that it is none."""
        if not isinstance(node, MappingNode):
            self.complain(node, f"expected a mapping, got {self._described(node)}", at, advice)
            return None
        fields: dict[str, tuple[Node, Node]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self.complain(key_node, "a key must be plain text", at)
            elif key_node.value in fields:
                first = fields[key_node.value][0].start_mark.line + 1
                self.complain(
                    key_node,
                    f"duplicate key {key_node.value!r}",
                    (*at, key_node.value),
                    f"Keep one of them; the first is in line {first}.",
                )
            else:
                fields[key_node.value] = (key_node, value_node)
        return fields

    def items(self, node: Node, at: Path_, what: str, empty: bool = False) -> list[Node]:
        """Return the items of a list that, unless `empty`, must have at least one."""
        if not isinstance(node, SequenceNode):
            self.complain(node, f"expected a list of {what}, got {self._described(node)}", at)
            return []
        if not node.value and not empty:
            self.complain(node, f"the list of {what} is empty", at, "Add at least one.")
        return list(node.value)

    def text(self, node: Node, at: Path_) -> str:
        """Return non-empty text; complain about anything else."""
        value = self.plain(node, at)
        if isinstance(value, str) and value.strip():
            return value
        if value is not _BROKEN:
            hint = "Put it in quotes." if isinstance(value, bool | int | float) else ""
            self.complain(node, f"expected text, got {self._described(node)}", at, hint)
        return ""

    def choice(self, node: Node, at: Path_, known: Iterable[str], what: str) -> str:
        """Return text that is one of the known words, or '' after complaining."""
        word = self.text(node, at)
        if word and word not in (known := list(known)):
            self.complain(node, f"unknown {what} {word!r}", at, nearest(word, known))
            return ""
        return word

    def number(self, node: Node, at: Path_, what: str, least: float, whole: bool = False) -> Any:
        """Return a finite number, at least `least`; complain about anything else."""
        value = self.plain(node, at)
        kinds = (int,) if whole else (int, float)
        if value is _BROKEN:
            return least
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < 1e18:
            kind = "a whole number" if whole else "a finite number"
            self.complain(
                node, f"{what} must be {kind}, {least:g} or more, got {self._described(node)}", at
            )
            return least
        return value

    def flag(self, node: Node, at: Path_) -> bool:
        """Return a boolean; complain about anything else."""
        value = self.plain(node, at)
        if not isinstance(value, bool):
            advice = _BOOLEANS if isinstance(value, str) else ""
            self.complain(node, f"expected true or false, got {self._described(node)}", at, advice)
            return False
        return value

    def plain(self, node: Node, at: Path_) -> Any:
        """Return a node as plain Python values, or `_BROKEN` after complaining."""
        if isinstance(node, ScalarNode):
            return self._scalar(node, at)
        if isinstance(node, SequenceNode):
            values = [self.plain(item, (*at, i)) for i, item in enumerate(node.value)]
            return _BROKEN if any(value is _BROKEN for value in values) else values
        fields = self.mapping(node, at)
        if fields is None or len(fields) != len(node.value):
            return _BROKEN
        plain = {key: self.plain(value, (*at, key)) for key, (_, value) in fields.items()}
        return _BROKEN if any(value is _BROKEN for value in plain.values()) else plain

    def _scalar(self, node: ScalarNode, at: Path_) -> Any:
        text = node.value
        if node.style:  # quoted or a block; plain is None or "" by parser
            return text
        if _INT.fullmatch(text):
            if len(text) > 400:
                self.complain(node, "a number of over 400 digits", at)
                return _BROKEN
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isinf(number):
                self.complain(node, f"{text} is too large for a 64-bit float", at)
                return _BROKEN
            return number
        return _WORDS.get(text, text)

    def _described(self, node: Node) -> str:
        if isinstance(node, MappingNode):
            return "a mapping"
        if isinstance(node, SequenceNode):
            return "a list"
        value = self.plain(node, ())
        if value is None:
            return "nothing"
        if value == "":
            return "empty text"
        return f"the text {value!r}" if isinstance(value, str) else f"{node.value}"


class _Broken:
    """What stands for a value that has been complained about."""


_BROKEN = _Broken()
BROKEN: Any = _BROKEN
