"""Run specs: generated from a study, hashed, and parsed again."""

from lasthop.study.run_spec.conditions import conditions_spec
from lasthop.study.run_spec.document import Spec, run_spec, run_specs
from lasthop.study.run_spec.identity import canonical_json, identity
from lasthop.study.run_spec.reader import RELAYED, RUN_SPEC_FORMAT, RunSpecReader
from lasthop.study.run_spec.weights import FleetWeights, WeightedStratum

__all__ = [
    "RELAYED",
    "RUN_SPEC_FORMAT",
    "FleetWeights",
    "RunSpecReader",
    "Spec",
    "WeightedStratum",
    "canonical_json",
    "conditions_spec",
    "identity",
    "run_spec",
    "run_specs",
]
