"""Parse one YAML file into nodes with locations, and refuse files that are unsafe to read.

Tags, anchors that contain themselves, deep nesting and aliases that expand to too many values are
complaints. Code that reads the nodes may therefore recurse and expand aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.errors import Complaint, Location
from grader.loading.parsers import UNTAGGED, Loader

_MOST_BYTES = 4 * 1024 * 1024
_MOST_VALUES = 4_000_000
_DEEPEST = 40
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_YAML = "tag:yaml.org,2002:"
_ADVICE = {
    "mapping values are not allowed": "Text that holds ': ' needs quotes; a key needs a space"
    " after its colon.",
    "did not find expected ',' or": "Is a bracket not closed? Text with a colon, a comma or a"
    " bracket needs quotes.",
    "expected node content": "Is a value missing, or a bracket not closed?",
    "did not find expected key": "Is there a bracket too many, or a wrong indentation?",
    "expected '-' indicator": "Keys of one mapping begin in the same column.",
    "cannot start any token": "Text that begins with such a character needs quotes.",
    "another document": "A file holds one document: remove the line '---'.",
    "unexpected end of stream": "Is a quote not closed?",
    "undefined alias": "Text that begins with * needs quotes.",
}
"""part of a message of libyaml -> advice"""

_ANCHOR_ALIAS_OR_TAG = re.compile(r"[&*!]")
"""the first character of each; most files contain none of them"""

KeyPath = tuple[str | int, ...]
"""A place in the document: the keys and list positions from the root."""


class Nodes:
    """The nodes of one file and the complaints about it.

    `root` is None if the file cannot be read or parsed.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.shown = shown
        self.complaints: list[Complaint] = []
        self._text = ""
        self._lines: list[str] | None = None
        self.root = self._parse(path)

    # --- complaining ---

    def location(self, node: Node, at: KeyPath = ()) -> Location:
        """Return the location of a node, whose key path is `at`."""
        mark = node.start_mark
        return self._location_at(mark.line + 1, mark.column + 1, at)

    def complain(self, node: Node | None, message: str, at: KeyPath = (), advice: str = "") -> None:
        """Record a mistake at `node`; None means the whole file."""
        location = self._location_at(1, 1) if node is None else self.location(node, at)
        self.complaints.append(Complaint(message, location, advice))

    def _location_at(self, line: int, column: int, at: KeyPath = ()) -> Location:
        if self._lines is None:
            self._lines = self._text.splitlines()
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return Location(self.shown, line, column, text, key_path(at))

    def _parse(self, path: Path) -> Node | None:
        if path.is_dir():  # opening a folder fails with different messages on different systems
            self.complain(None, "a folder, not a file")
            return None
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
                advice="Write large arrays as recipes (normal, uniform, ...), not as literals.",
            )
            return None
        if data.startswith(_UTF_16):
            self.complain(None, "UTF-16 text, not UTF-8", advice="Save the file as UTF-8.")
            return None
        try:
            self._text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
            column = len(before.decode("utf-8", "replace")) + 1
            self._text = data.decode("utf-8", "replace")
            self.complaints.append(
                Complaint(
                    "not UTF-8 text", self._location_at(line, column), "Save the file as UTF-8."
                )
            )
            return None
        return self._compose()

    def _compose(self) -> Node | None:
        try:
            loader = Loader(self._text)
            try:
                root: Node | None = loader.get_single_node()
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            self._complain_of_syntax(error)
            return None
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            message = getattr(error, "reason", "") or str(error)
            location = self._location_of_offset(getattr(error, "position", 0) or 0)
            self.complaints.append(Complaint(f"invalid YAML: {message}", location))
            return None
        if root is None:
            self.complain(None, "the file is empty")
            return None
        return root if self._is_safe(root) else None

    def _complain_of_syntax(self, error: yaml.MarkedYAMLError) -> None:
        place = self._location_of_mark(error.problem_mark)
        start = self._location_of_mark(error.context_mark)
        cause = error.problem or "it ends too early"
        text, end = place.text, self._end()
        at_end = (place.line, place.column) >= (end.line, end.column)
        if "\t" in text[: len(text) - len(text.lstrip(" \t-"))]:
            tab = self._location_at(place.line, text.index("\t") + 1)
            advice = "Indent with spaces, not tabs."
            self.complaints.append(Complaint("a tab in the indentation", tab, advice))
            return
        message = f"invalid YAML: {cause.removeprefix('but ')}"
        if error.context and error.context_mark and start != place:
            message += f", {error.context} that begins at {start.line}:{start.column}"
            if at_end:  # the start of the open construct helps more than the end of the file
                place = start
        elif at_end:
            place = end
        advice = next((words for part, words in _ADVICE.items() if part in cause), "")
        self.complaints.append(Complaint(message, place, advice))

    def _location_of_mark(self, mark: yaml.Mark | None) -> Location:
        return (
            self._location_at(mark.line + 1, mark.column + 1) if mark else self._location_at(1, 1)
        )

    def _end(self) -> Location:
        """Return the end of the last line that is not blank."""
        text = self._text.rstrip()
        return self._location_of_offset(len(text))

    def _location_of_offset(self, offset: int) -> Location:
        before = self._text[:offset]
        return self._location_at(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)

    def _is_safe(self, root: Node) -> bool:
        """Complain about tags, recursive anchors, deep nesting and too many values.

        Return whether there was no complaint.
        """
        before = len(self.complaints)
        ancestors: list[Node] = []
        values: dict[int, int] = {}  # number of values below a node, aliases expanded
        seen: set[int] = set()
        stack: list[tuple[Node, bool]] = [(root, False)]
        ancestor_ids: set[int] = set()
        if not _ANCHOR_ALIAS_OR_TAG.search(self._text) and _depth(root) <= _DEEPEST:
            return True
        while stack:
            node, leaving = stack.pop()
            children = _children(node)
            if leaving:
                ancestor_ids.discard(id(ancestors.pop()))
                values[id(node)] = 1 + sum(values.get(id(child), 0) for child in children)
                if values[id(node)] > _MOST_VALUES:
                    self.complain(node, f"aliases expand to more than {_MOST_VALUES} values")
                    break
                continue
            if id(node) in ancestor_ids:
                self.complain(node, "the anchor contains itself")
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.tag != UNTAGGED:
                self.complain(
                    node,
                    f"the tag {_short(node.tag)!r} is not used here",
                    advice="Write plain values; a recipe such as {eye: 3} builds an array.",
                )
            if isinstance(node, ScalarNode):
                values[id(node)] = 1
                continue
            ancestor_ids.add(id(node))
            ancestors.append(node)
            if len(ancestors) > _DEEPEST:
                self.complain(node, f"nested more than {_DEEPEST} levels deep")
                break
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children))
        return len(self.complaints) == before


def _depth(node: Node) -> int:
    """Return how deep lists and mappings are nested; count no further than `_DEEPEST` + 1."""
    depth, level = 0, [node]
    while level and depth <= _DEEPEST:
        level = [c for n in level for c in _children(n) if not isinstance(c, ScalarNode)]
        depth += 1
    return depth


def _short(tag: str) -> str:
    return "!!" + tag.removeprefix(_YAML) if tag.startswith(_YAML) else tag


def _children(node: Node) -> list[Node]:
    if isinstance(node, ScalarNode):
        return []
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value)


def key_path(at: KeyPath) -> str:
    """Return a key path in the notation of messages: `cases[2].arguments.X`."""
    text = ""
    for part in at:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def node_at(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node at `path` below `node`, or the deepest node on that path that exists."""
    for part in path:
        if isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        elif isinstance(node, MappingNode):
            values = [value for key, value in node.value if key.value == part]
            if not values:
                return node
            node = values[0]
        else:
            return node
    return node
