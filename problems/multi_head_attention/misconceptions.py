"""What learners get wrong, one step at a time: the right steps with one of them replaced.

The ids come from a list of mistakes in 186 public solutions and 75 public bug reports.
`violates` is the requirement that a learner would name, `exposed_by` the property of an input
that shows the mistake. Two mistakes that give the same numbers for every input (K made with W_q,
Q compared with itself) cannot be told apart by numbers: they share a requirement, the second
names the first as `same_as`, and the hint fits both.
"""

from __future__ import annotations

from grader.model import Misconception

from .mistakes_with_heads import CONCATENATION, HEAD_COLUMNS, OUTPUT_PROJECTION
from .mistakes_with_mask import MASK
from .mistakes_with_projections import PROJECTIONS
from .mistakes_with_returns import EXAMPLE, RETURNS
from .mistakes_with_scores import SCALE, SOFTMAX, STABILITY

MISCONCEPTIONS: list[Misconception] = [
    *EXAMPLE,
    *RETURNS,
    *PROJECTIONS,
    *HEAD_COLUMNS,
    *SCALE,
    *SOFTMAX,
    *CONCATENATION,
    *OUTPUT_PROJECTION,
    *MASK,
    *STABILITY,
]
