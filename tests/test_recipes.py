"""Recipes: what each one builds, how seeds work, and which recipes are refused."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import recipes


def build(recipe: Any, reseed: int = 0) -> Any:
    """Return the value that a valid recipe builds."""
    assert messages(recipe) == []
    return recipes.build({"it": recipe}, reseed)["it"]


def messages(recipe: Any, **others: Any) -> list[str]:
    """Return the complaints about a recipe beside other arguments."""
    return [message for _, message in recipes.complaints(recipe, {"it": recipe, **others})]


def places(recipe: Any) -> list[tuple[Any, ...]]:
    """Return the places of the complaints about a recipe."""
    return [path for path, _ in recipes.complaints(recipe, {"it": recipe})]


def draws(seed: int) -> np.random.RandomState:
    return np.random.RandomState(seed)


# --- built values --------------------------------------------------------------------------------

LITERALS = [
    ([1, 2], np.array([1, 2])),
    ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
    ([1.0, 2], np.array([1.0, 2.0])),
    ([True, False], np.array([True, False])),
    ([], np.zeros(0)),
    ([[], []], np.zeros((2, 0))),
    ([[[1.5]]], np.array([[[1.5]]])),
    ([float("inf"), float("nan")], np.array([float("inf"), float("nan")])),
    ([2**62], np.array([2**62])),
]

BUILT: list[tuple[Any, Any]] = [
    ({"eye": 3}, np.eye(3)),
    ({"eye": {"size": 2, "scale": 2.5}}, np.array([[2.5, 0.0], [0.0, 2.5]])),
    ({"eye": 0}, np.zeros((0, 0))),
    ({"zeros": [2, 3]}, np.zeros((2, 3))),
    ({"zeros": []}, np.array(0.0)),
    ({"zeros": {"shape": [1]}}, np.zeros(1)),
    ({"ones": [2, 0]}, np.ones((2, 0))),
    ({"ones": {"shape": [2]}}, np.ones(2)),
    ({"full": {"shape": [2], "value": 0.5}}, np.array([0.5, 0.5])),
    ({"full": {"shape": [], "value": True}}, np.array(True)),
    ({"full": {"shape": [1, 2], "value": 7}}, np.array([[7, 7]])),
    ({"tril": 3}, np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], bool)),
    ({"normal": {"shape": [2, 3], "seed": 5}}, draws(5).standard_normal((2, 3))),
    ({"normal": {"shape": [2], "seed": 5, "scale": 3}}, draws(5).standard_normal(2) * 3),
    ({"normal": {"shape": [4], "seed": 5, "scale": 3, "decimals": 2}},
     (draws(5).standard_normal(4) * 3).round(2)),
    ({"normal": {"shape": [], "seed": 1}}, np.asarray(draws(1).standard_normal())),
    ({"uniform": {"shape": [3], "seed": 5}}, draws(5).uniform(0, 1, 3)),
    ({"uniform": {"shape": [3], "seed": 5, "low": -2, "high": 2.5}}, draws(5).uniform(-2, 2.5, 3)),
    ({"uniform": {"shape": [3], "seed": 5, "scale": 10, "decimals": 0}},
     (draws(5).uniform(0, 1, 3) * 10).round(0)),
    ({"integers": {"shape": [9], "seed": 5, "low": -1, "high": 1}}, draws(5).randint(-1, 2, 9)),
    ({"tile": {"of": [[1, 2], [3, 4]], "axis": 1, "times": 2}},
     np.array([[1, 2, 1, 2], [3, 4, 3, 4]])),
    ({"tile": {"of": {"eye": 2}, "axis": 0, "times": 2}}, np.vstack([np.eye(2)] * 2)),
    ({"tile": {"of": {"tril": 2}, "axis": -1, "times": 1}}, np.tril(np.ones((2, 2), bool))),
]  # fmt: skip


@pytest.mark.parametrize(("recipe", "expected"), LITERALS + BUILT)
def test_a_recipe_builds_the_expected_array(recipe: Any, expected: Any) -> None:
    array = build(recipe)
    assert type(array) is np.ndarray
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected, strict=True)


@pytest.mark.parametrize("value", [3, 2.5, True, False, None, "text", -0.0])
def test_a_literal_that_is_not_a_list_is_returned_unchanged(value: Any) -> None:
    assert build(value) is value


def test_every_recipe_has_an_example_above() -> None:
    assert {name for recipe, _ in BUILT for name in recipe} == set(recipes.RECIPES)


def test_integers_include_both_ends() -> None:
    drawn = build({"integers": {"shape": [200], "seed": 1, "low": 2, "high": 4}})
    assert set(drawn.tolist()) == {2, 3, 4}
    assert drawn.dtype == np.int64


def test_decimals_rounds_to_that_many_decimal_places() -> None:
    drawn = build({"normal": {"shape": [50], "seed": 1, "decimals": 2}})
    assert all(f"{number:.2f}" == f"{number:.3f}"[:-1] for number in drawn)


# --- seeds and sameness --------------------------------------------------------------------------

DRAWN = [
    {"normal": {"shape": [3, 2], "seed": 4}},
    {"uniform": {"shape": [3, 2], "seed": 4}},
    {"integers": {"shape": [3, 2], "seed": 4, "low": 0, "high": 10**6}},
    {"tile": {"of": {"normal": {"shape": [3, 2], "seed": 4}}, "axis": 0, "times": 2}},
]


@pytest.mark.parametrize("recipe", DRAWN)
def test_drawing_twice_gives_the_same_numbers_in_different_arrays(recipe: Any) -> None:
    one, other = build(recipe), build(recipe)
    np.testing.assert_array_equal(one, other)
    assert not np.shares_memory(one, other)


@pytest.mark.parametrize("recipe", DRAWN)
def test_reseeding_shifts_the_seed(recipe: Any) -> None:
    (name,) = recipe
    inner = recipe[name]["of"] if name == "tile" else recipe
    (drawn,) = inner
    shifted = {drawn: inner[drawn] | {"seed": 4 + 7}}
    if name == "tile":
        shifted = {"tile": recipe["tile"] | {"of": shifted}}
    np.testing.assert_array_equal(build(recipe, 7), build(shifted))
    assert not np.array_equal(build(recipe, 7), build(recipe))


@pytest.mark.parametrize("recipe", [[1.0, 2.0], {"eye": 2}, {"tril": 2}, 3, None, {"zeros": [2]}])
def test_reseeding_does_not_change_recipes_without_a_seed(recipe: Any) -> None:
    np.testing.assert_array_equal(build(recipe, 7), build(recipe))


def test_reseeding_does_not_change_the_recipe() -> None:
    recipe = {"normal": {"shape": [1], "seed": 4}}
    build(recipe, 7)
    assert recipe == {"normal": {"shape": [1], "seed": 4}}


def test_drawn_numbers_are_the_same_in_every_numpy_version() -> None:
    """RandomState's streams are frozen (NEP 19); these were drawn with NumPy 2.4."""
    np.testing.assert_array_equal(
        build({"normal": {"shape": [3], "seed": 0, "decimals": 8}}),
        [1.76405235, 0.40015721, 0.97873798],
    )
    np.testing.assert_array_equal(
        build({"uniform": {"shape": [2], "seed": 0, "decimals": 8}}), [0.5488135, 0.71518937]
    )
    drawn = build({"integers": {"shape": [4], "seed": 0, "low": 0, "high": 9}})
    assert drawn.tolist() == [5, 0, 3, 3]


def test_same_is_the_identical_object_in_any_order_of_arguments() -> None:
    built = recipes.build({"Q": {"same": "K"}, "K": {"normal": {"shape": [2], "seed": 1}}, "n": 3})
    assert built["Q"] is built["K"]
    assert list(built) == ["Q", "K", "n"]


def test_equal_recipes_build_different_objects() -> None:
    built = recipes.build({"Q": {"eye": 2}, "K": {"eye": 2}})
    assert not np.shares_memory(built["Q"], built["K"])


def test_same_has_the_shape_of_the_other_argument() -> None:
    arguments = {"Q": {"same": "K"}, "K": {"zeros": [2, 5]}}
    assert recipes.shape_of(arguments["Q"], arguments) == (2, 5)


# --- definitions ---------------------------------------------------------------------------------


def test_a_recipe_without_a_shape_is_refused_at_its_definition() -> None:
    with pytest.raises(TypeError, match="shape"):
        recipes.recipe("shapeless")  # type: ignore[call-arg]
    assert "shapeless" not in recipes.RECIPES


def test_a_recipe_with_an_unchecked_parameter_is_refused_at_its_definition() -> None:
    def unchecked(size: int) -> Any:
        return np.zeros(size)

    with pytest.raises(TypeError, match="recipe unchecked: its parameter 'size' has no check"):
        recipes.recipe("unchecked", shape=lambda size: (size,))(unchecked)
    assert "unchecked" not in recipes.RECIPES


def test_a_short_form_that_names_no_parameter_is_refused_at_its_definition() -> None:
    with pytest.raises(TypeError, match="the short form 'length' is not a parameter"):
        recipes.recipe("nameless", shape=lambda: (), short="length")(lambda: np.zeros(()))
    assert "nameless" not in recipes.RECIPES


Length = Annotated[int, recipes.Check(lambda v: isinstance(v, int), "a whole number")]
Start = Annotated[int, recipes.Seed(lambda v: isinstance(v, int), "a whole number")]


def test_a_decorated_function_defines_checks_shape_value_and_seed() -> None:
    """Complaints, shape, value and `is_drawn` all follow from the decorated function."""

    @recipes.recipe("countdown", shape=lambda length, start: (length,), short="length")
    def countdown(length: Length, start: Start = 9) -> Any:
        return np.arange(start, start - length, -1)

    try:
        assert build({"countdown": 3}).tolist() == [9, 8, 7]
        assert build({"countdown": {"length": 2, "start": 4}}, reseed=1).tolist() == [5, 4]
        assert recipes.shape_of({"countdown": 3}, {}) == (3,)
        assert messages({"countdown": "x"}) == ["'length' is a whole number, not the text 'x'"]
        assert recipes.is_drawn({"countdown": {"length": 2, "start": 4}})
        assert not recipes.is_drawn({"countdown": 3})
    finally:
        del recipes.RECIPES["countdown"]


@pytest.mark.parametrize("recipe", DRAWN)
def test_a_recipe_with_a_seed_inside_is_drawn(recipe: Any) -> None:
    assert recipes.is_drawn(recipe)


@pytest.mark.parametrize(
    "recipe", [3, None, "seed", [1.0], {"eye": 2}, {"same": "X"}, {"zeros": {"shape": [2]}},
               {"tile": {"of": {"eye": 2}, "axis": 0, "times": 2}}]
)  # fmt: skip
def test_other_recipes_are_not_drawn(recipe: Any) -> None:
    assert not recipes.is_drawn(recipe)


# --- refused recipes -----------------------------------------------------------------------------

WRONG = [
    ({"eey": 3}, ("eey",), "unknown recipe 'eey'. Did you mean 'eye'?"),
    ({}, (), "this has 0 names"),
    ({"eye": 3, "scale": 2.0}, (), "this has 2 names"),
    ({"eye": -1}, ("eye",), "'size' is a whole number, 0 or more, not -1"),
    ({"eye": 2.0}, ("eye",), "not 2.0"),
    ({"eye": True}, ("eye",), "not True"),
    ({"eye": None}, ("eye",), "not nothing"),
    ({"eye": {"scale": 2}}, ("eye",), "eye needs 'size'"),
    ({"eye": {"size": 2, "scale": "2"}}, ("eye", "scale"), "not the text '2'"),
    ({"zeros": 3}, ("zeros",), "a list of at most 8 whole numbers"),
    ({"zeros": [1] * 9}, ("zeros",), "a list of at most 8 whole numbers"),
    ({"zeros": [2, -1]}, ("zeros",), "a list"),
    ({"zeros": [10**4, 10**4]}, ("zeros",), "100000000 elements are too many"),
    ({"full": [2]}, ("full",), "full needs its parameters by name: shape, value"),
    ({"full": {"shape": [2], "value": "x"}}, ("full", "value"), "a number of at most 64 bits"),
    ({"full": {"shape": [2], "value": 2**63}}, ("full", "value"), "a number of at most 64 bits"),
    ({"normal": {"shape": [2]}}, ("normal",), "normal needs 'seed'"),
    ({"normal": {"seed": 2}}, ("normal",), "normal needs 'shape'"),
    ({"normal": {"shape": [2], "sed": 1}}, ("normal", "sed"), "Did you mean 'seed'?"),
    ({"normal": {"shape": [2], "seed": -1}}, ("normal", "seed"), "0 to 2147483647"),
    ({"normal": {"shape": [2], "seed": 2**31}}, ("normal", "seed"), "0 to 2147483647"),
    ({"normal": {"shape": [2], "seed": 1, "decimals": 99}}, ("normal", "decimals"), "0 to 15"),
    ({"normal": {"shape": [2], "seed": 1, "scale": float("nan")}}, ("normal", "scale"), "finite"),
    ({"uniform": {"shape": [2], "seed": 1, "low": 2}}, ("uniform",), "'low' (2) is above 'high'"),
    ({"uniform": {"shape": [2], "seed": 1, "high": float("inf")}}, ("uniform", "high"), "finite"),
    ({"uniform": {"shape": [2], "seed": 1, "high": 1.7e308}}, ("uniform", "high"), "finite"),
    ({"zeros": [2**31 - 1, 2**31 - 1, 0]}, ("zeros",), "elements are too many"),
    ({"integers": {"shape": [2], "seed": 1, "low": 0, "high": 2.5}}, ("integers",), "whole"),
    ({"integers": {"shape": [2], "seed": 1, "low": 0, "high": 2**63}}, ("integers",), "64 bits"),
    ({"integers": {"shape": [2], "seed": 1, "low": 3, "high": 2}}, ("integers",), "above"),
    ({"integers": {"shape": [2], "seed": 1}}, ("integers",), "integers needs 'low'"),
    ({"tile": {"of": 3, "axis": 0, "times": 2}}, ("tile", "of"), "at least one axis"),
    ({"tile": {"of": {"zeros": []}, "axis": 0, "times": 2}}, ("tile", "of"), "at least one axis"),
    ({"tile": {"of": [1], "axis": 1, "times": 2}}, ("tile", "axis"), "is not an axis"),
    ({"tile": {"of": [1], "axis": 0, "times": 0}}, ("tile", "times"), "from 1 to 1000"),
    ({"tile": {"of": {"nromal": 1}, "axis": 0, "times": 2}}, ("tile", "of", "nromal"), "normal"),
    ({"tile": {"of": {"same": "X"}, "axis": 0, "times": 2}}, ("tile", "of"), "cannot be a 'same'"),
    ({"same": "Z"}, ("same",), "no argument 'Z' in this case. Known: it, X"),
    ({"same": 3}, ("same",), "no argument 3 in this case"),
    ({"same": ["X"]}, ("same",), "no argument"),
    ({"same": "it"}, ("same",), "itself"),
    ([1, "two"], (1,), "numbers or booleans, not the text 'two'"),
    ([1, None], (1,), "not nothing"),
    ([1, {"eye": 2}], (1,), "not a mapping"),
    ([1, True], (), "either numbers or booleans"),
    ([[1, 2], [3]], (1,), "the same length"),
    ([1, [2]], (1,), "the same length"),
    ([[[1], [2]], [[3], [4, 5]]], (1, 1), "the same length"),
    ([[], [1]], (1,), "the same length"),
    ([2**63], (0,), "does not fit a 64-bit integer"),
    ([-(2**63) - 1], (0,), "does not fit a 64-bit integer"),
]  # fmt: skip


@pytest.mark.parametrize(("recipe", "place", "says"), WRONG)
def test_a_wrong_recipe_is_reported_with_its_place(
    recipe: Any, place: tuple[Any, ...], says: str
) -> None:
    found = list(recipes.complaints(recipe, {"it": recipe, "X": [1.0], "other": [1.0]}))
    assert any(path == place and says in message for path, message in found), found


def test_same_may_not_name_another_same() -> None:
    recipe = {"same": "Y"}
    found = messages(recipe, Y={"same": "X"}, X=[1.0])
    assert found == ["argument 'Y' is itself a 'same'; name the argument that it refers to"]


def test_all_faults_of_a_recipe_are_reported_together() -> None:
    recipe = {"normal": {"shape": [-1], "sede": 3, "scale": "x"}}
    assert set(places(recipe)) == {
        ("normal", "shape"), ("normal", "sede"), ("normal", "scale"), ("normal",)
    }  # fmt: skip


# --- properties ----------------------------------------------------------------------------------

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.integers()
    | st.floats()
    | st.sampled_from(["X", "eye", "", "3"])
)
KEYS = st.sampled_from(
    [*recipes.RECIPES, "same", "shape", "seed", "scale", "low", "high", "decimals", "size", "of",
     "axis", "times", "value"]
) | st.text(max_size=2)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "shape": st.lists(st.integers(0, 3), max_size=4),
    "size": st.integers(0, 4),
    "seed": st.integers(0, 2**31 - 1),
    "scale": st.floats(),
    "low": st.integers(-3, 3) | st.floats(),
    "high": st.integers(-3, 3) | st.floats(),
    "decimals": st.integers(0, 15),
    "value": st.booleans() | st.floats() | st.integers(),
    "axis": st.integers(-5, 5),
    "times": st.integers(1, 3),
}


def _of_recipe(name: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return near-sound values of one recipe: each parameter may also be anything or missing."""
    fields = {p: inner if p == "of" else PARAMETERS[p] for p in recipes.RECIPES[name].checks}
    sound = st.fixed_dictionaries(
        {p: fields[p] for p in recipes.RECIPES[name].required},
        optional={p: fields[p] for p in fields if p not in recipes.RECIPES[name].required},
    )
    nearly = st.tuples(sound, st.sampled_from(sorted(fields)), SCALARS).map(
        lambda t: t[0] | {t[1]: t[2]}
    )
    return (sound | nearly).map(lambda given: {name: given})


NEARLY = st.recursive(
    st.lists(st.lists(st.floats(-9, 9), min_size=2, max_size=2), min_size=1, max_size=2),
    lambda inner: st.one_of([_of_recipe(name, inner) for name in recipes.RECIPES]),
    max_leaves=3,
)


@settings(max_examples=500)
@given(ANYTHING | NEARLY, ANYTHING | NEARLY)
def test_any_plain_value_has_complaints_or_builds_the_shape_of_shape_of(
    one: Any, other: Any
) -> None:
    arguments = {"one": one, "X": other}
    for recipe in arguments.values():
        for path, message in recipes.complaints(recipe, arguments):
            assert isinstance(path, tuple)
            assert message
    if any(list(recipes.complaints(recipe, arguments)) for recipe in arguments.values()):
        return
    for reseed in (0, 3):
        built = recipes.build(arguments, reseed)
        for name, recipe in arguments.items():
            shape = recipes.shape_of(recipe, arguments)
            if shape is None:
                assert not isinstance(built[name], np.ndarray)
            else:
                assert built[name].shape == shape
                assert built[name].dtype.kind in "bif"
                assert built[name].flags.writeable
