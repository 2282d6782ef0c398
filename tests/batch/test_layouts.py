"""The exports of six platforms, and how people name files, are assigned rightly or refused."""

from __future__ import annotations

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
def test_an_export_as_a_folder_is_assigned_rightly(name: str, tmp_path: Path) -> None:
    export = read(name)
    (tree,) = open_trees([export.folder(tmp_path)])
    assert assigned(tree).layout.name == LAYOUTS.get(name, name)
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", EXPORTS)
def test_the_same_export_as_a_zip_is_assigned_the_same(name: str, tmp_path: Path) -> None:
    export = read(name)
    (tree,) = open_trees([export.zip(tmp_path)])
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", EXPORTS)
def test_a_zip_of_the_exports_folder_is_assigned_the_same(name: str, tmp_path: Path) -> None:
    export = read(name)
    (tree,) = open_trees([export.zip(tmp_path, inside=f"{export.source}/")])
    assert _owners(tree) == export.owners


@pytest.mark.parametrize("name", ["gradescope", "github-classroom", "moodle", "canvas"])
def test_another_folder_around_an_export_changes_nothing(name: str, tmp_path: Path) -> None:
    export = read(name)
    export.folder(tmp_path / "downloads")
    (tree,) = open_trees([tmp_path / "downloads"])
    found = {key: path.removeprefix(f"{export.source}/") for key, path in _owners(tree).items()}
    assert found == export.owners


def test_gradescope_gives_each_member_of_a_group_the_same_file_and_their_own_address(
    tmp_path: Path,
) -> None:
    (tree,) = open_trees([read("gradescope").folder(tmp_path)])
    rows = {row.learner.name: row for row in assigned(tree).rows}
    assert rows["Mary O'Connor"].path == rows["Cas van den Berg"].path
    assert rows["Mary O'Connor"].learner.email == "mary.oconnor@uni.example"


def test_blackboards_earlier_attempt_is_left_out_and_said_so(tmp_path: Path) -> None:
    (tree,) = open_trees([read("blackboard").folder(tmp_path)])
    (earlier,) = [e for e in assigned(tree).left_out if e.path.endswith(".py")]
    assert "2026-10-02-18-01-07" in earlier.path
    assert earlier.refused == "an earlier attempt"


def test_a_module_that_somebody_handed_in_beside_the_solution_goes_with_it(tmp_path: Path) -> None:
    (tree,) = open_trees([read("canvas").folder(tmp_path)])
    (row,) = [r for r in assigned(tree).rows if r.learner.name == "vandenbergcas"]
    assert row.siblings == (("helper.py", "vandenbergcas_10424_880315_helper.py"),)


# --- what cannot be told ------------------------------------------------------------------------


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


def test_names_that_fit_two_platforms_are_refused_with_both() -> None:
    said = _complaint("hw_12_34_ada_attempt_2026-10-02-18-01-07_projection.py")
    assert "Canvas" in said
    assert "Blackboard" in said
    assert "--layout" in said
    assert "--pattern" in said


def test_an_export_with_one_file_of_another_kind_is_refused_with_that_file() -> None:
    said = _complaint("ada_10_20_projection.py", "bob_11_21_projection.py", "mine.py")
    assert "2 of 3 files are named as in Canvas" in said
    assert "'mine.py' is not" in said


def test_files_beside_folders_are_refused() -> None:
    said = _complaint("ada/projection.py", "bob.py")
    assert "does a file or a folder stand for a learner?" in said


def test_a_file_named_for_the_exercise_among_files_named_for_learners_is_refused() -> None:
    said = _complaint("ada.py", "projection.py")
    assert "'projection.py' is named for an exercise, 'ada.py' for a learner?" in said


def test_two_files_that_may_solve_the_exercise_are_refused_with_both() -> None:
    said = _complaint("ada/projection.py", "ada/old/projection.py")
    assert "ada: 2 files may solve projection: ada/old/projection.py, ada/projection.py" in said


def test_several_files_without_the_exercises_name_are_refused() -> None:
    said = _complaint("ada/a.py", "ada/b.py")
    assert "ada: which exercise does this solve: ada/a.py, ada/b.py?" in said


def test_a_file_of_a_learner_is_refused_when_it_may_solve_two_exercises() -> None:
    said = _complaint("ada.py", problems=("projection", "softmax"), slugs=("projection", "softmax"))
    assert "which exercise does this solve: ada.py?" in said
    assert "Add --problem SLUG, or name it projection.py or softmax.py." in said


def test_all_unclear_learners_come_at_once_the_first_few_by_name() -> None:
    said = _complaint(*(f"{who}/{file}.py" for who in "abcdefgh" for file in "xy"))
    assert said.count("which exercise") == 5
    assert "... and 3 more like these" in said


def test_an_unclear_learner_can_be_skipped_and_the_row_says_why() -> None:
    rows = _assign("ada/a.py", "ada/b.py", "bob/projection.py", skip_ambiguous=True).rows
    assert [row.path for row in rows] == ["", "bob/projection.py"]
    assert rows[0].note.startswith("skipped: ada: which exercise")


def test_a_source_without_a_submission_is_refused() -> None:
    assert "no .py or .ipynb file in there" in _complaint("ada/essay.pdf")


def test_the_same_learner_in_two_sources_is_refused() -> None:
    with pytest.raises(UsageError, match=r"ada has projection\.py and ada/projection\.py"):
        merged([_assign("projection.py", source="ada"), _assign("ada/projection.py")])


# --- which file, which exercise -----------------------------------------------------------------

BOTH = ("attention", "batched_attention")


def test_the_longer_name_wins_where_one_exercises_name_ends_with_anothers() -> None:
    rows = _assign("ada_batched_attention.py", "ada_attention.py", problems=BOTH, slugs=BOTH).rows
    assert {row.problem: row.path for row in rows} == {
        "attention": "ada_attention.py",
        "batched_attention": "ada_batched_attention.py",
    }
    assert {row.learner.key for row in rows} == {"ada"}


def test_a_file_named_for_another_exercise_is_not_taken_for_the_one_that_is_graded() -> None:
    (row,) = _assign("ada/batched_attention.py", problems=("attention",), slugs=BOTH).rows
    assert row.path == ""
    assert row.note == "nothing was handed in"


def test_the_solutions_folder_of_a_cloned_course_decides() -> None:
    (row,) = _assign("ada/solutions/projection.py", "ada/old/projection.py").rows
    assert row.path == "ada/solutions/projection.py"


def test_a_folder_for_each_exercise_is_read_so() -> None:
    rows = _assign(
        *(f"{p}/{who}.py" for p in BOTH for who in ("ada", "bob")), problems=BOTH, slugs=BOTH
    ).rows
    assert len(rows) == 4
    assert all(row.path == f"{row.problem}/{row.learner.key}.py" for row in rows)


def test_a_folder_of_solutions_is_one_learner() -> None:
    rows = _assign("attention.py", "batched_attention.py", problems=BOTH, slugs=BOTH, source="ada")
    assert {row.learner.key for row in rows.rows} == {"ada"}


def test_another_learners_file_is_never_a_module_of_somebodys() -> None:
    assert all(row.siblings == () for row in _assign("ada.py", "bob.py").rows)


def test_ones_own_solution_of_another_exercise_is_no_module_of_this_one() -> None:
    rows = _assign("ada/attention.py", "ada/batched_attention.py", problems=BOTH, slugs=BOTH).rows
    assert all(row.siblings == () for row in rows)


# --- patterns -----------------------------------------------------------------------------------


def test_a_pattern_decides_what_no_layout_knows() -> None:
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
        ("{learner}/{learner}.py", "{learner} is there twice"),
        ("{any}/{file}", "it must hold {learner}"),
        ("{learner}.txt", "no file is named as in the pattern {learner}.txt"),
    ],
)
def test_a_pattern_that_cannot_work_says_what_is_wrong(pattern: str, says: str) -> None:
    assert says in _complaint("ada/projection.py", pattern=pattern)


def test_a_layout_can_be_named_and_leaves_out_what_does_not_fit_it() -> None:
    found = _assign("ada_10_20_projection.py", "mine.py", layout="canvas")
    assert [row.learner.key for row in found.rows] == ["ada_10"]
    assert [entry.path for entry in found.left_out] == ["mine.py"]


def test_a_layout_that_nothing_fits_is_refused() -> None:
    assert "no file is named as in Canvas" in _complaint("ada.py", layout="canvas")


@pytest.mark.parametrize(
    "text",
    ["- a\n- b\n", "a: [", "submission_1: {}\n", "submission_1:\n  :submitters: []\n"],
)
def test_gradescopes_metadata_that_says_nothing_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "submission_1").mkdir()
    (tmp_path / "submission_1" / "projection.py").write_text("")
    (tmp_path / "submission_metadata.yml").write_text(text)
    (tree,) = open_trees([tmp_path])
    with pytest.raises(UsageError, match=r"submission_metadata\.yml"):
        assigned(tree)
