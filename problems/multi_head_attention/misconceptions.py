"""What learners get wrong, one step at a time: the right steps with one of them replaced.

The ids are those of a list collected from 186 public solutions and 75 public bug reports.
`violates` is the requirement that a learner would name, `exposed_by` the property of an input
that betrays the idea. Where two ideas give the same numbers for every input (K made with W_q, Q
compared with itself), nobody can tell them apart by numbers: they share a requirement, `same_as`
says so, and the hint fits both.
"""

from __future__ import annotations

from grader.model import Misconception

from .mistakes_with_heads import CONCATENATION, HEAD_COLUMNS, OUTPUT_PROJECTION, RETURNS
from .mistakes_with_mask import MASK
from .mistakes_with_projections import PROJECTIONS
from .mistakes_with_scores import EXAMPLE, SCALE, SOFTMAX, STABILITY

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
