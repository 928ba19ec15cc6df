"""The whole picture in one run: calls of all sizes, fresh processes, each setting, input made to be slow.

python tests/benchmarks/picture.py
"""

import adversarial
import fresh
import settings
import sizes

PARTS = {
    "Calls of all sizes, compiled code at hand": sizes.main,
    "The first call of a process": fresh.main,
    "Each setting": settings.main,
    "Input made to be slow, beside ordinary input": adversarial.main,
}


def main() -> None:
    for title, print_part in PARTS.items():
        print(f"\n## {title}\n", flush=True)
        print_part()


if __name__ == "__main__":
    main()
