"""What learners get wrong, one step at a time: the right steps with one of them replaced.

The ids come from a list of mistakes in public solutions and bug reports. `violates` is the
requirement that a learner would name, `exposed_by` the property of an input that shows the
mistake. Two mistakes that give the same numbers for every input (Q and K exchanged, two letters
of an einsum exchanged) cannot be told apart by numbers: they share a requirement, the second
names the first as `same_as`, and the hint fits both.
"""

from __future__ import annotations

from grader.model import Misconception

from .mistakes_with_batch import BATCH, LENGTHS
from .mistakes_with_heads import CONCATENATION, HEAD_SPLIT, OUTPUT_PROJECTION
from .mistakes_with_projections import PROJECTIONS
from .mistakes_with_returns import FLOAT64, RETURNS
from .mistakes_with_scores import SCALE, SOFTMAX, STABILITY

MISCONCEPTIONS: list[Misconception] = [
    *RETURNS,
    *FLOAT64,
    *PROJECTIONS,
    *HEAD_SPLIT,
    *SCALE,
    *SOFTMAX,
    *CONCATENATION,
    *OUTPUT_PROJECTION,
    *LENGTHS,
    *BATCH,
    *STABILITY,
]
