"""Read the submitters of each folder from the `submission_metadata.yml` of a Gradescope export.

The file maps a folder's name to `:submitters`, a list with `:name`, `:sid` and `:email`. Source of
the format: Otter-Grader's reader (`metadata_parser.py`). The file also holds all results and their
history, so only the nodes of submitters are converted.

Only the file that Gradescope wrote counts: a learner may hand in one of the same name, which would
give the learner the grade of another. So it lies at the top of the export, beside nothing but
folders that Gradescope named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.batch.handed_in import Learner, People
from grader.batch.sources import METADATA, Entry, Tree, UnreadableError
from grader.errors import UsageError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FIELDS = {":sid": "id", ":name": "name", ":email": "email"}


_EXPORT = re.compile(r"assignment_\d+_export/")
_SUBMISSION = re.compile(r"submission_\d+/.")


def people_of(tree: Tree) -> People:
    """Return the learners of each folder of a Gradescope export; {} for another source.

    Raises UsageError when the export's metadata cannot be read.
    """
    place = metadata_of(tree.entries)
    if place is None:
        return {}
    shown = f"{tree.name}/{place}"
    try:
        return people(tree.read(place), shown)
    except UnreadableError as error:
        raise UsageError(f"{shown}: {error}") from None


def metadata_of(entries: Sequence[Entry]) -> str | None:
    """Return the path of the metadata that Gradescope wrote, or None if this is no export of it."""
    paths = {entry.path for entry in entries}
    found = _EXPORT.match(min(paths, default=""))
    top = found[0] if found else ""
    place = f"{top}{METADATA}"
    others = paths - {place}
    if place not in paths or not all(
        path.startswith(top) and _SUBMISSION.match(path, len(top)) for path in others
    ):
        return None
    return place


def people(data: bytes, shown: str) -> Mapping[str, tuple[Learner, ...]]:
    """Return the learners of each folder; `shown` is the path for messages.

    Raises UsageError when the file is not valid YAML or a folder has no submitters.
    """
    try:
        root = yaml.compose(data.decode("utf-8-sig", "replace"), _Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{shown} is not valid YAML: {error}") from None
    if not isinstance(root, MappingNode):
        raise UsageError(f"{shown} does not list submissions")
    found: dict[str, tuple[Learner, ...]] = {}
    for folder, facts in _pairs(root):
        listed = dict(_pairs(facts)).get(":submitters")
        people = listed.value if isinstance(listed, SequenceNode) else []
        found[folder] = tuple(filter(None, (_learner(person) for person in people)))
        if not found[folder]:
            raise UsageError(f"{shown}: {folder} has no submitters")
    return found


def _learner(node: Node) -> Learner | None:
    facts = {
        _FIELDS[key]: value.value.strip()
        for key, value in _pairs(node)
        if key in _FIELDS and isinstance(value, ScalarNode) and value.value not in ("", "null", "~")
    }
    return Learner(**facts) if facts else None


def _pairs(node: Node) -> list[tuple[str, Node]]:
    if not isinstance(node, MappingNode):
        return []
    return [(key.value, value) for key, value in node.value if isinstance(key, ScalarNode)]
