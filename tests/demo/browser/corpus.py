"""A corpus for the demo, as lists and as files."""

import random

import pandas as pd

GENERATOR = random.Random(7)
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "under",
    "mat",
    "bird",
    "3.5",
    "naïve",
    "你",
    "好",
]
PREDICTIONS = [" ".join(GENERATOR.choices(WORDS, k=GENERATOR.randrange(4, 12))) for _ in range(40)]
REFERENCE_SETS = [[" ".join(GENERATOR.choices(WORDS, k=9)) for _ in PREDICTIONS] for _ in range(2)]
ROWS = [list(row) for row in zip(*REFERENCE_SETS)]
SECOND_PREDICTIONS = [f"{row[0].rsplit(' ', 2)[0]} cat" for row in ROWS]


def write_corpus(folder, kind):
    """Write the corpus in a format.

    Returns:
        The file of predictions, the files of references, and whether they have columns.
    """
    frame = pd.DataFrame(
        {"id": range(len(PREDICTIONS)), "prediction": PREDICTIONS, "reference": ROWS}
    )
    if kind == "txt":
        paths = [folder / "system.de", folder / "a.txt", folder / "b.txt"]
        for path, lines in zip(paths, (PREDICTIONS, *REFERENCE_SETS)):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return paths[0], paths[1:], False
    path = folder / f"corpus.{kind}"
    if kind in ("csv", "tsv"):
        frame = frame.assign(reference=REFERENCE_SETS[0], reference_2=REFERENCE_SETS[1])
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    else:
        frame.to_json(path, orient="records", lines=True, force_ascii=False)
    return path, [path], True
