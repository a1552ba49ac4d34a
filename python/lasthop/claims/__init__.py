"""Claims of papers held against runs: reproduced, not reproduced, undecided or not covered."""

from lasthop.claims.judge import judge
from lasthop.claims.judgement import Finding, Judgement, Verdict
from lasthop.study.claims import Claim, Claims, claims_of

__all__ = ["Claim", "Claims", "Finding", "Judgement", "Verdict", "claims_of", "judge"]
