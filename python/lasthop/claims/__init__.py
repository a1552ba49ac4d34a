"""Claims of papers held against runs: a closed list of verdicts."""

from lasthop.claims.judge import judge
from lasthop.claims.judgement import ClaimVerdict, Finding, Judgement
from lasthop.study.claims import Claim, Claims, claims_of

__all__ = ["Claim", "ClaimVerdict", "Claims", "Finding", "Judgement", "claims_of", "judge"]
