"""Measure how often intervals of a share hold it whose devices have common fates.

    python -m benchmarks.few_repetitions.clustered_shares [SAMPLES]

Ten devices send 20 messages each. How likely a message of a device arrives is drawn from a beta
distribution around the share: messages of one device correlate by 0.02 or 0.2. An interval at 95 %
should hold the share in 95 % of the samples. Beside it in brackets stands Wilson's interval of all
messages, as if they were independent. The standard error of a rate of 95 % is 0.5 points with
2,000 samples.
"""

import random
import sys

from lasthop.statistics.effective_sample import part_that_counts, share_evidence
from lasthop.statistics.pooled import PooledShare

DEVICES, MESSAGES = 10, 20
RUNS = (1, 2, 3, 5, 10)
LAWS = ((0.9, 0.02), (0.9, 0.2), (0.97, 0.02), (0.97, 0.2), (0.99, 0.02), (0.99, 0.2))
_CONFIDENCE = 0.95
_SEED = 20261129


def counting(by_device: list[int]) -> float:
    """Give the part that counts of the messages of some devices, from how many arrived of each."""
    total = len(by_device) * MESSAGES
    share = sum(by_device) / total
    apart = sum((good - share * MESSAGES) ** 2 for good in by_device)
    count = len(by_device)
    return part_that_counts(
        share=share,
        clusters=count,
        variance=count / (count - 1) * apart / total**2,
        independent=share * (1 - share) / total,
    )


def covered(share: float, correlation: float, *, runs: int, samples: int) -> tuple[float, float]:
    """Give how often our interval holds a share, and how often that of all messages does."""
    chance = random.Random(_SEED)  # noqa: S311
    first = share * (1 - correlation) / correlation
    second = (1 - share) * (1 - correlation) / correlation
    held = alone = 0
    for _ in range(samples):
        drawn = [
            [
                sum(chance.random() < own for _ in range(MESSAGES))
                for own in (chance.betavariate(first, second) for _ in range(DEVICES))
            ]
            for _ in range(runs)
        ]
        each = DEVICES * MESSAGES
        part = counting([good for run in drawn for good in run])
        values = [sum(run) / each for run in drawn]
        low, high = share_evidence(values, [each * part] * runs).ends(_CONFIDENCE)
        held += low <= share <= high
        low, high = PooledShare(sum(values) * each, runs * each).ends(_CONFIDENCE)
        alone += low <= share <= high
    return held / samples, alone / samples


def main() -> None:
    """Print the table in Markdown."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    heads = [f"{runs} run{'s' if runs > 1 else ''}" for runs in RUNS]
    print("| share, correlation |", " | ".join(heads), "|")
    print("|---|", "---:|" * len(RUNS), sep="")
    for share, correlation in LAWS:
        rates = [covered(share, correlation, runs=runs, samples=samples) for runs in RUNS]
        cells = (f"{100 * ours:.1f} ({100 * naive:.1f})" for ours, naive in rates)
        print(f"| {100 * share:g} %, {correlation:g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
