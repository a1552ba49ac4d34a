"""What papers claim of a study: the file of claims, read with the place of every mistake."""

from lasthop.study.claims.claim import Claim, Claims, Rule
from lasthop.study.claims.load import claims_of, read_claims

__all__ = ["Claim", "Claims", "Rule", "claims_of", "read_claims"]
