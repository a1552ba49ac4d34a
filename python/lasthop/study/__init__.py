"""Studies: parses a study file and resolves it into its runs."""

from lasthop.study.expressions import Expression, parse_expression
from lasthop.study.load import load_study
from lasthop.study.plan.study import (
    Decide,
    Expectation,
    Part,
    PlannedRun,
    Point,
    Stack,
    Study,
    SweptParameter,
)
from lasthop.study.text.faults import Fault

__all__ = [
    "Decide",
    "Expectation",
    "Expression",
    "Fault",
    "Part",
    "PlannedRun",
    "Point",
    "Stack",
    "Study",
    "SweptParameter",
    "load_study",
    "parse_expression",
]
