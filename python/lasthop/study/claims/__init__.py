"""Published claims on a study, parsed from a file with the position of every error."""

from lasthop.study.claims.claim import Claim, Claims, Rule
from lasthop.study.claims.load import claims_of, read_claims

__all__ = ["Claim", "Claims", "Rule", "claims_of", "read_claims"]
