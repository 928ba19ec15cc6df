"""`compare` beside sacreBLEU's PairedTest, in one run: 3,000 segments, 5 systems, counting included.

python tests/benchmarks/significance.py [segments, 3,000 by default]
"""

import sys
import time
import warnings
from pathlib import Path

import evaluate
from corpora import corpus
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = 5
TESTS = {"bootstrap": ("bs", 1_000), "randomization": ("ar", 10_000)}


def main(segments: int = 3_000) -> None:
    warnings.simplefilter("ignore")
    name, predictions, references = corpus(segments)
    # Systems that differ a little: each has some other words in every n-th segment.
    systems = {
        f"system {k}": [text if k == 0 or i % (k + 3) else f"{text[3:]} {k}" for i, text in enumerate(predictions)]
        for k in range(SYSTEMS)
    }
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    bleu.compute(predictions=predictions, references=references)  # compiled, or read from the compiler's cache
    print(f"{segments:,} segments of {name}, {SYSTEMS} systems, two references each; seconds\n")
    for test, (short, n_resamples) in TESTS.items():
        times = []
        for _ in range(5):
            start = time.perf_counter()
            # Intervals in both: sacreBLEU's bootstrap has them always, its randomization where they are asked for.
            ours = bleu.compare(systems, references, test=test, n_resamples=n_resamples)
            times.append(time.perf_counter() - start)
        start = time.perf_counter()
        streams = [list(stream) for stream in zip(*references)]
        asked = {"test_type": short, "n_samples": n_resamples, "n_ar_confidence": 0}
        _, theirs = PairedTest(list(systems.items()), {"BLEU": BLEU(force=True)}, streams, **asked)()
        theirs_seconds = time.perf_counter() - start
        equal = [s.get("p_value") for s in ours["systems"].values()] == [r.p_value for r in theirs["BLEU"]]
        print(
            f"{test}, {n_resamples:,} resamples: sacreBLEU {theirs_seconds:.2f}, compare {min(times):.3f},"
            f" {theirs_seconds / min(times):.0f}x; p-values {'equal' if equal else 'DIFFERENT'}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
