"""Compare statistics with sacreBLEU's on random segments.

    python tests/fuzz.py [segments, 2,000,000 by default] [first seed]

Each combination of tokenizer, case and order gets its share. `multi-bleu`, which sacreBLEU doesn't have, is compared
with its Python implementation. Prints the first difference and exits with 1, or the count and exits with 0.
"""

import itertools
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

BATCH = 5_000
SACREBLEUS = ("13a", "none", "intl", "zh", "char")
CASES = [
    {"tokenize": tokenize, "lowercase": lowercase, "max_order": max_order}
    for max_order, tokenize, lowercase in itertools.product(
        (4, 1, 2, 3, 5, 6), (*SACREBLEUS, "multi-bleu"), (False, True)
    )
]


def compare(seed: int, segments: int = BATCH) -> tuple[dict, str | None]:
    """Return the case of a seed, and its first difference."""
    sys.path.insert(0, str(Path(__file__).parent))
    import conftest  # noqa: F401
    from bleu.bleu_core import read_corpus
    from both_ways import count, kernels_only, python_only
    from helpers import count_with_sacrebleu, find_difference, random_rows

    case = CASES[seed % len(CASES)]
    predictions, references = random_rows(seed, segments)
    with kernels_only():
        rows = count(read_corpus(predictions, references), **case)
    if case["tokenize"] in SACREBLEUS:
        expected = count_with_sacrebleu(predictions, references, **case)
    else:
        with python_only():
            expected = count(read_corpus(predictions, references), **case)
    return case, find_difference(predictions, references, rows, expected)


def main(segments: int = 2_000_000, first_seed: int = 0) -> int:
    warnings.simplefilter("ignore")
    done = 0
    with ProcessPoolExecutor() as pool:
        for case, difference in pool.map(
            compare, range(first_seed, first_seed + -(-segments // BATCH))
        ):
            if difference:
                print(case, difference)
                return 1
            done += BATCH
            print(f"\r{done:,} segments", end="", flush=True)
    print(f"\r{done:,} segments, {len(CASES)} cases: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
