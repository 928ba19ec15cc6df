"""Print the seconds that `ptb` and its Java program take: `python tests/benchmarks/captions.py` (needs pycocoevalcap).

Both split the same synthetic captions. Java's time includes its start; a file is written before.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pycocoevalcap.tokenizer import ptbtokenizer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import conftest  # noqa: F401 - makes the package `bleu`
from bleu.bleu_captions import tokenize_ptb

WORDS = "a the man woman dog cat's rides sits two street near isn't red and on well-known".split()  # noqa: SIM905
JAR = Path(ptbtokenizer.__file__).parent / ptbtokenizer.STANFORD_CORENLP_3_4_1_JAR
JAVA = ["java", "-cp", str(JAR), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines"]

print("captions   ptb  Java")
for count in (100, 1_000, 5_000):
    captions = [" ".join(random.choices(WORDS, k=11)) + "." for _ in range(count)]
    start = time.perf_counter()
    for caption in captions:
        tokenize_ptb(caption)
    seconds = time.perf_counter() - start
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(captions))
        file.flush()
        start = time.perf_counter()
        subprocess.run([*JAVA, "-lowerCase", file.name], capture_output=True, check=True)
    print(f"{count:8,}{seconds:6.2f}{time.perf_counter() - start:6.2f}")
