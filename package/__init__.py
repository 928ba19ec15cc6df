"""BLEU as an installed package: `from bleu_metric import BleuMetric`.

The modules are the files that `evaluate.load` reads. Its copy of them is another package, so its
class is another class, with the same methods.
"""

from importlib.util import find_spec
from pathlib import Path

# After `pip install --editable` the modules are not beside this file but in the clone, whose folder
# is on the path.
_in_clone = find_spec("bleu_corpus")
if _in_clone is not None and _in_clone.origin is not None:
    __path__.append(str(Path(_in_clone.origin).parent))

from .bleu_corpus import __version__  # noqa: E402
from .bleu_messages import BleuWarning  # noqa: E402
from .bleu_metric import BleuMetric  # noqa: E402
from .bleu_options import TokenizerName  # noqa: E402

__all__ = ["BleuMetric", "BleuWarning", "TokenizerName", "__version__"]
