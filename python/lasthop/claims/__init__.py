"""Claims of papers held against runs: reproduced, not reproduced, undecided or not covered."""

from lasthop.claims.judge import judge
from lasthop.claims.judgement import Finding, Judgement, Verdict
from lasthop.study.claims import Claim, Claims

__all__ = ["Claim", "Claims", "Finding", "Judgement", "Verdict", "judge"]
