"""Studies: reads a study file and resolves it into the runs that it asks for."""

from lasthop.study.expressions import Expression, parse_expression
from lasthop.study.faults import Fault
from lasthop.study.load import load_study
from lasthop.study.study import (
    Decide,
    Expectation,
    Part,
    PlannedRun,
    Point,
    Stack,
    Study,
    SweptParameter,
)

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
