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

from .bleu_checks import Checked  # noqa: E402
from .bleu_compare import Comparison, Ranking  # noqa: E402
from .bleu_compute import GroupedResult, Result  # noqa: E402
from .bleu_corpus import __version__  # noqa: E402
from .bleu_diff import Difference  # noqa: E402
from .bleu_explain import Explanation  # noqa: E402
from .bleu_messages import BleuWarning  # noqa: E402
from .bleu_metric import BleuMetric  # noqa: E402
from .bleu_options import TokenizerName  # noqa: E402
from .bleu_pairwise import SelfBleu  # noqa: E402
from .bleu_reconcile import Conventions, Reconciliation  # noqa: E402
from .bleu_results import (  # noqa: E402
    AnswerContent,
    ConditionsContent,
    ConventionScores,
    CorpusScores,
    CoveredTokens,
    DifferenceUncertainty,
    FactorStep,
    Finding,
    GroupDifference,
    GroupScores,
    LengthDifference,
    NGramCount,
    NGramDifference,
    OrderDifference,
    OrderMatches,
    Pair,
    RankedSystem,
    ReconciliationContent,
    RunScores,
    Scored,
    Scores,
    SegmentDifference,
    SelfBleuScores,
    Settings,
    SettingScores,
    SignedScores,
    SystemScore,
    SystemScores,
    TestedDifference,
    Uncertainty,
    Wins,
)
from .bleu_trainer import TrainerMetric  # noqa: E402

__all__ = [
    "AnswerContent",
    "BleuMetric",
    "BleuWarning",
    "Checked",
    "Comparison",
    "ConditionsContent",
    "ConventionScores",
    "Conventions",
    "CorpusScores",
    "CoveredTokens",
    "Difference",
    "DifferenceUncertainty",
    "Explanation",
    "FactorStep",
    "Finding",
    "GroupDifference",
    "GroupScores",
    "GroupedResult",
    "LengthDifference",
    "NGramCount",
    "NGramDifference",
    "OrderDifference",
    "OrderMatches",
    "Pair",
    "RankedSystem",
    "Ranking",
    "Reconciliation",
    "ReconciliationContent",
    "Result",
    "RunScores",
    "Scored",
    "Scores",
    "SegmentDifference",
    "SelfBleu",
    "SelfBleuScores",
    "SettingScores",
    "Settings",
    "SignedScores",
    "SystemScore",
    "SystemScores",
    "TestedDifference",
    "TokenizerName",
    "TrainerMetric",
    "Uncertainty",
    "Wins",
    "__version__",
]
