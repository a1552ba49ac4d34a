"""Run specs: written from an assembled study, hashed, and read back."""

from lasthop.study.run_spec.conditions import IPV6_MTU_BYTES, check_mtu, conditions_spec
from lasthop.study.run_spec.document import Spec, run_spec, run_specs
from lasthop.study.run_spec.identity import canonical_json, identity
from lasthop.study.run_spec.reader import RELAYED, RUN_SPEC_FORMAT, RunSpecReader

__all__ = [
    "IPV6_MTU_BYTES",
    "RELAYED",
    "RUN_SPEC_FORMAT",
    "RunSpecReader",
    "Spec",
    "canonical_json",
    "check_mtu",
    "conditions_spec",
    "identity",
    "run_spec",
    "run_specs",
]
