"""BLEU as an installed package: `from bleu_metric import BleuMetric`.

The modules are the files that `evaluate.load` reads. Its copy of them is another package, so its
class is another class, with the same methods.
"""

from .bleu_corpus import __version__
from .bleu_messages import BleuWarning
from .bleu_metric import BleuMetric

__all__ = ["BleuMetric", "BleuWarning", "__version__"]
