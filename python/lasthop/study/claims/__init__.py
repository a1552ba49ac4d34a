"""Published claims about a study, read from a file with the place of every mistake."""

from lasthop.study.claims.claim import Claim, Claims, Rule
from lasthop.study.claims.load import claims_of, read_claims

__all__ = ["Claim", "Claims", "Rule", "claims_of", "read_claims"]
