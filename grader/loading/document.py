"""One YAML file as nodes with places, and every complaint about it.

Scalars are read as YAML 1.2's core schema does (yaml.org/spec/1.2.2, chapter 10.3.2): `1e-6` is
a number, `no` is text, `12:30` is text. Repeated keys, tags and anchors that contain themselves
are complaints. Nothing outside this package sees a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.errors import Complaint, Location, nearest

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNTAGGED = "untagged"
_MOST_BYTES = 4 * 1024 * 1024

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

Path_ = tuple[str | int, ...]
"""Where in the document: keys and list positions."""

Fields = Mapping[str, tuple[Node, Node]]
"""The key node and value node of a mapping, by key."""


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's C parser without its YAML 1.1 guesses: every untagged node stays untagged."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return _UNTAGGED


class Document:
    """One file being read. `root` is None when it cannot be read at all."""

    def __init__(self, path: Path, shown: str) -> None:
        self.shown = shown
        self.complaints: list[Complaint] = []
        self._text = ""
        self.root = self._parse(path)

    # --- complaining ---

    def location(self, node: Node) -> Location:
        """Return the place of a node."""
        return Location(self.shown, node.start_mark.line + 1, node.start_mark.column + 1)

    def complain(self, node: Node | None, message: str, at: Path_ = (), way_out: str = "") -> None:
        """Record that something is wrong at `node`; None means the whole file."""
        if node is None:
            location, line = Location(self.shown, 1, 1), self._line(0)
        else:
            location, line = self.location(node), self._line(node.start_mark.line)
        self.complaints.append(Complaint(message, location, key_path(at), line, way_out))

    def _line(self, index: int) -> str:
        lines = self._text.splitlines()
        return lines[index] if index < len(lines) else ""

    # --- reading ---

    def fields(
        self, node: Node, at: Path_, required: Iterable[str], optional: Iterable[str] = ()
    ) -> Fields:
        """Return the fields of a mapping with known keys; complain about the rest."""
        required = list(required)
        known = [*required, *optional]
        fields = self.mapping(node, at)
        if fields is None:
            return {}
        for key, (key_node, _) in fields.items():
            if key not in known:
                self.complain(key_node, f"unknown key {key!r}", (*at, key), nearest(key, known))
        for key in required:
            if key not in fields:
                where = f"{key_path(at)} needs" if at else "the file needs"
                self.complain(node, f"missing key {key!r}", at, f"{where} {key!r}.")
        return {key: pair for key, pair in fields.items() if key in known}

    def mapping(self, node: Node, at: Path_) -> dict[str, tuple[Node, Node]] | None:
        """Return a mapping's fields by key, or None after complaining that it is none."""
        if not isinstance(node, MappingNode):
            self.complain(node, f"expected a mapping, got {self._described(node)}", at)
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
                    f"It is first set in line {first}; keep one of them.",
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
            self.complain(node, f"the list of {what} is empty", at, "Add one or drop the file.")
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
            kind = "a whole number" if whole else "a number"
            self.complain(
                node, f"{what} must be {kind}, {least:g} or more, got {self._described(node)}", at
            )
            return least
        return value

    def flag(self, node: Node, at: Path_) -> bool:
        """Return a boolean; complain about anything else."""
        value = self.plain(node, at)
        if not isinstance(value, bool):
            self.complain(node, f"expected true or false, got {self._described(node)}", at)
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
            return float(text)
        return _WORDS.get(text, text)

    def _described(self, node: Node) -> str:
        if isinstance(node, MappingNode):
            return "a mapping"
        if isinstance(node, SequenceNode):
            return "a list"
        value = self.plain(node, ())
        if value is None:
            return "nothing"
        return f"the text {value!r}" if isinstance(value, str) else f"{node.value}"

    def _parse(self, path: Path) -> Node | None:
        try:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except OSError as error:
            self.complain(None, f"cannot be read: {error.strerror or error}")
            return None
        if len(data) > _MOST_BYTES:
            self.complain(
                None,
                f"larger than {_MOST_BYTES >> 20} MiB",
                way_out="Write large arrays as recipes (normal, uniform, ...), not as literals.",
            )
            return None
        try:
            self._text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
            where = Location(self.shown, line, column)
            self.complaints.append(
                Complaint("not UTF-8 text", where, way_out="Save the file as UTF-8.")
            )
            return None
        return self._compose()

    def _compose(self) -> Node | None:
        try:
            loader = _Loader(self._text)
            try:
                root: Node | None = loader.get_single_node()
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            self._complain_of_syntax(error)
            return None
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            message = getattr(error, "reason", "") or str(error) or "nested too deeply"
            line, column = self._place_of(getattr(error, "position", 0) or 0)
            where = Location(self.shown, line, column)
            self.complaints.append(
                Complaint(f"not YAML: {message}", where, source_line=self._line(line - 1))
            )
            return None
        if root is None:
            self.complain(None, "the file is empty")
            return None
        return root if self._is_sound(root) else None

    def _complain_of_syntax(self, error: yaml.MarkedYAMLError) -> None:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        text = self._line(line - 1)
        message = f"not YAML: {error.problem or 'it ends too early'}"
        if error.context:
            message += f", {error.context}"
        tab = text.find("\t")
        way_out = ""
        if tab >= 0 and not text[:tab].strip(" -"):
            column, way_out = tab + 1, "Indent with spaces, not tabs."
        where = Location(self.shown, line, column)
        self.complaints.append(Complaint(message, where, source_line=text, way_out=way_out))

    def _place_of(self, position: int) -> tuple[int, int]:
        before = self._text[:position]
        return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1

    def _is_sound(self, root: Node) -> bool:
        """Complain about tags, self-containing anchors and great depth; return whether none."""
        before = len(self.complaints)
        open_nodes: list[Node] = []
        seen: set[int] = set()
        stack: list[tuple[Node, bool]] = [(root, False)]
        inside: set[int] = set()
        while stack:
            node, leaving = stack.pop()
            if leaving:
                inside.discard(id(open_nodes.pop()))
                continue
            if id(node) in inside:
                self.complain(node, "an anchor that contains itself")
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.tag != _UNTAGGED:
                self.complain(node, f"tags such as {node.tag!r} are not used here")
            if isinstance(node, ScalarNode):
                continue
            inside.add(id(node))
            open_nodes.append(node)
            if len(open_nodes) > _DEEPEST:
                self.complain(node, f"nested more than {_DEEPEST} levels deep")
                break
            stack.append((node, True))
            children = node.value
            if isinstance(node, MappingNode):
                children = [child for pair in children for child in pair]
            stack.extend((child, False) for child in reversed(children))
        return len(self.complaints) == before


class _Broken:
    """What stands for a value that has been complained about."""


_BROKEN = _Broken()
BROKEN: Any = _BROKEN
_DEEPEST = 40


def key_path(at: Path_) -> str:
    """Return a path as authors write it: `cases[2].arguments.X`."""
    text = ""
    for part in at:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def node_at(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node that `path` leads to below `node`, or the last one on the way."""
    for part in path:
        if isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        elif isinstance(node, MappingNode):
            found = [value for key, value in node.value if key.value == part]
            if not found:
                return node
            node = found[0]
        else:
            return node
    return node
