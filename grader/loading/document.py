"""Read typed values from the nodes of one YAML document.

Scalars are read as YAML 1.2's core schema does (yaml.org/spec/1.2.2, chapter 10.3.2): `1e-6` is
a number, `no` is text, `12:30` is text. A repeated key is a complaint. Only this package handles
nodes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.errors import closest, nearest, offer
from grader.loading.nodes import KeyPath, Nodes

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
    """A file whose nodes are read as typed values.

    Each method complains about a node of another type and returns a default.
    """

    def fields(
        self, node: Node, at: KeyPath, required: Iterable[str], optional: Iterable[str] = ()
    ) -> Fields:
        """Return a mapping's fields; complain about unknown and missing keys."""
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
                # One complaint is enough for a misspelt key: do not report it as missing too.
                missing = [name for name in missing if name != meant]
        if missing:
            keys = "key" if len(missing) == 1 else "keys"
            self.complain(node, f"missing {keys} {', '.join(map(repr, missing))}", at)
        return {key: pair for key, pair in fields.items() if key in known}

    def mapping(
        self, node: Node, at: KeyPath, advice: str = ""
    ) -> dict[str, tuple[Node, Node]] | None:
        """Return a mapping's fields by key, or None if the node is not a mapping."""
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

    def items(self, node: Node, at: KeyPath, noun: str, empty: bool = False) -> list[Node]:
        """Return the items of a list; complain about an empty one unless `empty` is true.

        `noun` names the items in messages.
        """
        if not isinstance(node, SequenceNode):
            self.complain(node, f"expected a list of {noun}, got {self._described(node)}", at)
            return []
        if not node.value and not empty:
            self.complain(node, f"the list of {noun} is empty", at, "Add at least one.")
        return list(node.value)

    def text(self, node: Node, at: KeyPath) -> str:
        """Return non-empty text, or '' after a complaint."""
        value = self.plain(node, at)
        if isinstance(value, str) and value.strip():
            return value
        if value is not BROKEN:
            advice = "Put it in quotes." if isinstance(value, bool | int | float) else ""
            self.complain(node, f"expected text, got {self._described(node)}", at, advice)
        return ""

    def choice(self, node: Node, at: KeyPath, known: Iterable[str], noun: str) -> str:
        """Return text that is one of the `known` words, or '' after a complaint."""
        word = self.text(node, at)
        if word and word not in (known := list(known)):
            self.complain(node, f"unknown {noun} {word!r}", at, nearest(word, known))
            return ""
        return word

    def number(self, node: Node, at: KeyPath, noun: str, least: float, whole: bool = False) -> Any:
        """Return a finite number of at least `least`, or `least` after a complaint."""
        value = self.plain(node, at)
        kinds = (int,) if whole else (int, float)
        if value is BROKEN:
            return least
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < 1e18:
            kind = "a whole number" if whole else "a finite number"
            self.complain(
                node, f"{noun} must be {kind}, {least:g} or more, got {self._described(node)}", at
            )
            return least
        return value

    def flag(self, node: Node, at: KeyPath) -> bool:
        """Return a boolean, or False after a complaint."""
        value = self.plain(node, at)
        if not isinstance(value, bool):
            advice = _BOOLEANS if isinstance(value, str) else ""
            self.complain(node, f"expected true or false, got {self._described(node)}", at, advice)
            return False
        return value

    def plain(self, node: Node, at: KeyPath) -> Any:
        """Return a node as plain Python values, or `BROKEN` after a complaint."""
        if isinstance(node, ScalarNode):
            return self._scalar(node, at)
        if isinstance(node, SequenceNode):
            values = [self.plain(item, (*at, i)) for i, item in enumerate(node.value)]
            return BROKEN if any(value is BROKEN for value in values) else values
        fields = self.mapping(node, at)
        if fields is None or len(fields) != len(node.value):
            return BROKEN
        plain = {key: self.plain(value, (*at, key)) for key, (_, value) in fields.items()}
        return BROKEN if any(value is BROKEN for value in plain.values()) else plain

    def _scalar(self, node: ScalarNode, at: KeyPath) -> Any:
        text = node.value
        if (
            node.style
        ):  # quoted or a block; for plain text the style is None or "", depending on the parser
            return text
        if _INT.fullmatch(text):
            if len(text) > 400:
                self.complain(node, "a number of over 400 digits", at)
                return BROKEN
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isinf(number):
                self.complain(node, f"{text} is too large for a 64-bit float", at)
                return BROKEN
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
    """The type of `BROKEN`."""


BROKEN: Any = _Broken()
"""stands for a value that has a complaint already"""
