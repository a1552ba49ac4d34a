"""What a study's papers claim: the file of claims, read with the place of every mistake."""

from lasthop.study.claims.claim import Claim, Claims, Rule

__all__ = ["Claim", "Claims", "Rule"]
