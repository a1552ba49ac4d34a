"""The end of a campaign: judges claims and the multiverse, and closes the folder."""

import polars as pl

from lasthop.answer.projection import of_claims, project
from lasthop.claims import claims_of, judge
from lasthop.claims.document import claims_document
from lasthop.multiverse import analyse
from lasthop.referee.claims import rule_on_claims
from lasthop.results.atomic import environment
from lasthop.results.folder import ResultFolder
from lasthop.results.judgements import CLAIMS, MULTIVERSE
from lasthop.results.manifest import Manifest
from lasthop.running.progress import Progress


def judge_and_close(folder: ResultFolder, manifest: Manifest, progress: Progress) -> None:
    """Judge claims and multiverse, remove outdated judgements and close the folder.

    Only a whole study can be held against claims. The referee learns on how much each rests.
    """
    claims = claims_of(manifest.study) if manifest.whole else ()
    multiverse = manifest.study.get("multiverse") if manifest.whole else None
    contents: dict[str, object] = {CLAIMS: None, MULTIVERSE: None}
    if claims or multiverse:
        with environment(folder.path):
            runs = pl.scan_parquet(folder.table("runs"))
        if claims:
            compared = project(runs, manifest.study, of_claims(claims))
            judgements = judge(
                claims,
                compared,
                looks=manifest.study.get("looks", 1),
            )
            contents[CLAIMS] = claims_document(judgements, manifest.study)
            # One number has no sample, but the runs that agree on it have been counted.
            repetitions = {
                judgement.id: judgement.interval.repetitions
                if judgement.exact and judgement.interval
                else judgement.n
                for judgement in judgements
            }
            rule_on_claims(folder, repetitions, quick=manifest.study["quick"])
        if multiverse:
            contents[MULTIVERSE] = analyse(
                runs,
                manifest.study,
                began=lambda universes: progress.judging(universes=universes),
                judged=progress.universe_judged,
            ).as_json()
    for name, content in contents.items():
        folder.store(name, content)
    folder.close(manifest)
