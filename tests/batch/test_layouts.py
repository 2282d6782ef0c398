"""Exports of six platforms and hand-made folders are assigned correctly or refused."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from exports import EXPORTS, assigned, read

from grader.batch.assign import Assignment, assign, merged
from grader.batch.handed_in import Wish
from grader.batch.sources import Entry, Tree, open_trees
from grader.errors import UsageError

LAYOUTS = {
    "moodle-flat": "moodle",
    "github-classroom": "github",
}


def _owners(tree: Tree) -> dict[str, str]:
    return {row.learner.key: row.path for row in assigned(tree).rows}


@pytest.mark.parametrize("name", EXPORTS)
def test_files_of_an_export_folder_are_assigned_to_their_learners(
    name: str, tmp_path: Path
) -> None:
    export = read(name)
    (tree,) = open_trees([export.folder(tmp_path)])
    assert assigned(tree).layout.name == LAYOUTS.get(name, name)
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_as_a_zip_is_assigned_like_the_folder(name: str, tmp_path: Path) -> None:
    export = read(name)
    (tree,) = open_trees([export.zip(tmp_path)])
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", EXPORTS)
def test_a_zip_that_contains_the_export_folder_is_assigned_like_the_folder(
    name: str, tmp_path: Path
) -> None:
    export = read(name)
    (tree,) = open_trees([export.zip(tmp_path, inside=f"{export.source}/")])
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", ["gradescope", "github-classroom", "moodle", "canvas"])
def test_an_export_inside_another_folder_is_assigned_like_the_folder(
    name: str, tmp_path: Path
) -> None:
    export = read(name)
    export.folder(tmp_path / "downloads")
    (tree,) = open_trees([tmp_path / "downloads"])
    found = {key: path.removeprefix(f"{export.source}/") for key, path in _owners(tree).items()}
    assert found == export.owners


def test_gradescope_group_members_share_a_file_and_keep_their_own_email(
    tmp_path: Path,
) -> None:
    (tree,) = open_trees([read("gradescope").folder(tmp_path)])
    rows = {row.learner.name: row for row in assigned(tree).rows}
    assert rows["Mary O'Connor"].path == rows["Cas van den Berg"].path
    assert rows["Mary O'Connor"].learner.email == "mary.oconnor@uni.example"


def test_an_earlier_blackboard_attempt_is_left_out_with_a_reason(tmp_path: Path) -> None:
    (tree,) = open_trees([read("blackboard").folder(tmp_path)])
    (earlier,) = [e for e in assigned(tree).left_out if e.path.endswith(".py")]
    assert "2026-10-02-18-01-07" in earlier.path
    assert earlier.refused == "an earlier attempt"


def test_a_module_beside_the_solution_becomes_a_sibling(tmp_path: Path) -> None:
    (tree,) = open_trees([read("canvas").folder(tmp_path)])
    (row,) = [r for r in assigned(tree).rows if r.learner.name == "vandenbergcas"]
    assert row.siblings == (("helper.py", "vandenbergcas_10424_880315_helper.py"),)


# --- ambiguous files ---------------------------------------------------------------------------


def _complaint(
    *paths: str,
    problems: tuple[str, ...] = ("projection",),
    slugs: tuple[str, ...] = ("projection",),
    **wish: Any,
) -> str:
    with pytest.raises(UsageError) as caught:
        _assign(*paths, problems=problems, slugs=slugs, **wish)
    return str(caught.value)


def _assign(
    *paths: str,
    problems: tuple[str, ...] = ("projection",),
    slugs: tuple[str, ...] = ("projection",),
    source: str = "class",
    **wish: Any,
) -> Assignment:
    entries = [Entry(path) for path in sorted(paths)]
    return assign(source, entries, Wish(problems, slugs, **wish), {})


def test_names_that_match_two_platforms_are_refused_naming_both() -> None:
    said = _complaint("hw_12_34_ada_attempt_2026-10-02-18-01-07_projection.py")
    assert "Canvas" in said
    assert "Blackboard" in said
    assert "--layout" in said
    assert "--pattern" in said


def test_an_export_with_one_file_outside_the_layout_is_refused_naming_the_file() -> None:
    said = _complaint("ada_10_20_projection.py", "bob_11_21_projection.py", "mine.py")
    assert "2 of 3 files are named as in Canvas" in said
    assert "'mine.py' is not" in said


def test_a_mix_of_files_and_folders_is_refused() -> None:
    said = _complaint("ada/projection.py", "bob.py")
    assert "either may stand for a learner" in said


def test_a_file_named_for_the_exercise_among_files_named_for_learners_is_refused() -> None:
    said = _complaint("ada.py", "projection.py")
    assert "'projection.py' is named for an exercise, but 'ada.py' is not" in said


def test_two_candidate_files_for_an_exercise_are_refused_naming_both() -> None:
    said = _complaint("ada/projection.py", "ada/old/projection.py")
    assert "ada: 2 files may solve projection: ada/old/projection.py, ada/projection.py" in said


def test_several_files_without_the_slug_are_refused() -> None:
    said = _complaint("ada/a.py", "ada/b.py")
    assert "ada: the exercise cannot be determined from ada/a.py, ada/b.py" in said


def test_a_file_that_may_solve_two_exercises_is_refused() -> None:
    said = _complaint("ada.py", problems=("projection", "softmax"), slugs=("projection", "softmax"))
    assert "the exercise cannot be determined from ada.py" in said
    assert "Add --problem SLUG, or name the file projection.py or softmax.py." in said


def test_all_ambiguous_learners_are_reported_together_and_the_first_five_by_name() -> None:
    said = _complaint(*(f"{who}/{file}.py" for who in "abcdefgh" for file in "xy"))
    assert said.count("the exercise cannot be determined") == 5
    assert "... and 3 more like these" in said


def test_skip_ambiguous_skips_the_learner_and_notes_the_reason() -> None:
    rows = _assign("ada/a.py", "ada/b.py", "bob/projection.py", skip_ambiguous=True).rows
    assert [row.path for row in rows] == ["", "bob/projection.py"]
    assert rows[0].note.startswith("skipped: ada: the exercise cannot be determined")


def test_a_source_without_a_submission_is_refused() -> None:
    assert "no .py or .ipynb file in it" in _complaint("ada/essay.pdf")


def test_the_same_learner_in_two_sources_is_refused() -> None:
    with pytest.raises(UsageError, match=r"ada has projection\.py and ada/projection\.py"):
        merged([_assign("projection.py", source="ada"), _assign("ada/projection.py")])


# --- choice of file and exercise ----------------------------------------------------------------

BOTH = ("attention", "batched_attention")


def test_the_longest_slug_wins_when_a_slug_ends_with_another() -> None:
    rows = _assign("ada_batched_attention.py", "ada_attention.py", problems=BOTH, slugs=BOTH).rows
    assert {row.problem: row.path for row in rows} == {
        "attention": "ada_attention.py",
        "batched_attention": "ada_batched_attention.py",
    }
    assert {row.learner.key for row in rows} == {"ada"}


def test_a_file_named_for_another_exercise_is_not_graded() -> None:
    (row,) = _assign("ada/batched_attention.py", problems=("attention",), slugs=BOTH).rows
    assert row.path == ""
    assert row.note == "nothing was handed in"


def test_a_file_in_the_solutions_folder_of_a_cloned_course_is_preferred() -> None:
    (row,) = _assign("ada/solutions/projection.py", "ada/old/projection.py").rows
    assert row.path == "ada/solutions/projection.py"


def test_a_folder_for_each_exercise_is_recognised() -> None:
    rows = _assign(
        *(f"{p}/{who}.py" for p in BOTH for who in ("ada", "bob")), problems=BOTH, slugs=BOTH
    ).rows
    assert len(rows) == 4
    assert all(row.path == f"{row.problem}/{row.learner.key}.py" for row in rows)


def test_a_folder_of_solutions_belongs_to_one_learner() -> None:
    rows = _assign("attention.py", "batched_attention.py", problems=BOTH, slugs=BOTH, source="ada")
    assert {row.learner.key for row in rows.rows} == {"ada"}


def test_another_learners_file_is_never_a_sibling() -> None:
    assert all(row.siblings == () for row in _assign("ada.py", "bob.py").rows)


def test_the_learners_solution_of_another_exercise_is_not_a_sibling() -> None:
    rows = _assign("ada/attention.py", "ada/batched_attention.py", problems=BOTH, slugs=BOTH).rows
    assert all(row.siblings == () for row in rows)


# --- patterns -----------------------------------------------------------------------------------


def test_a_pattern_assigns_files_that_match_no_layout() -> None:
    rows = _assign(
        "week3/ada.l/v2-projection.py",
        "week3/bob.o/v1-projection.py",
        "week3/notes.py",
        pattern="{any}/{learner}/{any}-{problem}.py",
    )
    assert {row.learner.key: row.path for row in rows.rows} == {
        "ada.l": "week3/ada.l/v2-projection.py",
        "bob.o": "week3/bob.o/v1-projection.py",
    }
    assert [entry.path for entry in rows.left_out] == ["week3/notes.py"]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("{learnr}/{file}", "{learnr} is unknown\n    help: The fields are: {learner}, "),
        ("{learner}/{learner}.py", "{learner} is repeated"),
        ("{any}/{file}", "it must contain {learner}, {id} or {name}"),
        ("{learner}.txt", "no file is named as in the pattern {learner}.txt"),
    ],
)
def test_an_invalid_pattern_is_refused_with_a_reason(pattern: str, says: str) -> None:
    assert says in _complaint("ada/projection.py", pattern=pattern)


def test_the_layout_option_leaves_out_files_that_do_not_match() -> None:
    found = _assign("ada_10_20_projection.py", "mine.py", layout="canvas")
    assert [row.learner.key for row in found.rows] == ["ada_10"]
    assert [entry.path for entry in found.left_out] == ["mine.py"]


def test_a_layout_that_matches_no_file_is_refused() -> None:
    assert "no file is named as in Canvas" in _complaint("ada.py", layout="canvas")


@pytest.mark.parametrize(
    "text",
    ["- a\n- b\n", "a: [", "submission_1: {}\n", "submission_1:\n  :submitters: []\n"],
)
def test_gradescope_metadata_without_submitters_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "submission_1").mkdir()
    (tmp_path / "submission_1" / "projection.py").write_text("")
    (tmp_path / "submission_metadata.yml").write_text(text)
    (tree,) = open_trees([tmp_path])
    with pytest.raises(UsageError, match=r"submission_metadata\.yml"):
        assigned(tree)


def _metadata(**submitters: str) -> str:
    """Return metadata of Gradescope: a submitter's name for each folder."""
    block = "{folder}:\n  :submitters:\n  - :name: {who}\n"
    return "".join(block.format(folder=folder, who=who) for folder, who in submitters.items())


FORGED = _metadata(ada="Eve", eve="Ada")
SWAPPED = _metadata(submission_1="Eve", submission_2="Ada")
BROKEN = "a: ["


@pytest.mark.parametrize("text", [FORGED, BROKEN, SWAPPED, "- 1"])
@pytest.mark.parametrize(
    "where",
    [
        "eve/submission_metadata.yml",
        "eve/submission_1/submission_metadata.yml",
        "eve/work.zip/submission_metadata.yml",
        "eve/work.zip/assignment_1_export/submission_metadata.yml",
        "submission_metadata.yml",
    ],
)
def test_metadata_that_a_learner_hands_in_changes_no_identity(
    where: str, text: str, tmp_path: Path
) -> None:
    files = {"ada/projection.py": "A = 1\n", "eve/projection.py": "E = 1\n", where: text}
    tree = _class_of(tmp_path, files)
    owners = {row.learner.key: row.path for row in assigned(tree).rows}
    assert owners == {"ada": "ada/projection.py", "eve": "eve/projection.py"}


@pytest.mark.parametrize("text", [SWAPPED, BROKEN])
@pytest.mark.parametrize("top", ["", "assignment_7_export/"])
@pytest.mark.parametrize("where", ["", "sub/", "work.zip/"])
def test_metadata_inside_a_submission_of_gradescope_changes_no_identity(
    where: str, top: str, text: str, tmp_path: Path
) -> None:
    files = {
        f"{top}submission_metadata.yml": _metadata(submission_1="Ada", submission_2="Eve"),
        f"{top}submission_1/projection.py": "A = 1\n",
        f"{top}submission_2/projection.py": "E = 1\n",
        f"{top}submission_2/{where}submission_metadata.yml": text,
    }
    tree = _class_of(tmp_path, files)
    owners = {row.learner.key: row.path.removeprefix(top) for row in assigned(tree).rows}
    assert owners == {"Ada": "submission_1/projection.py", "Eve": "submission_2/projection.py"}


def test_a_single_learners_folder_with_metadata_is_not_an_export(tmp_path: Path) -> None:
    files = {"eve/submission_metadata.yml": SWAPPED, "eve/submission_1/projection.py": ""}
    keys = [row.learner.key for row in assigned(_class_of(tmp_path, files)).rows]
    assert keys == ["eve"]


def _class_of(tmp_path: Path, files: dict[str, str]) -> Tree:
    """Write a class; a path in a `.zip` becomes a member of that ZIP. Return its tree."""
    for name, text in files.items():
        outside, inner, inside = name.partition(".zip/")
        path = tmp_path / "class" / f"{outside}.zip" if inner else tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if inner:
            with zipfile.ZipFile(path, "w") as out:
                out.writestr(inside, text)
        else:
            path.write_text(text)
    (tree,) = open_trees([tmp_path / "class"])
    return tree
