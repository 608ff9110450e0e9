"""Published tests: evidence and a design in, a frozen result out."""

from crossroads.measures.association.battery import BatteryResult, battery
from crossroads.measures.association.frequency import FrequencyResult, frequency
from crossroads.measures.association.mleat import MleatResult, Similarity, mleat
from crossroads.measures.association.placebo import PlaceboResult, placebo
from crossroads.measures.association.reliability import ReliabilityResult, reliability
from crossroads.measures.association.sc_weat import ScWeatResult, sc_weat
from crossroads.measures.association.series import SeriesResult, series
from crossroads.measures.association.stability import BootstrapResult, InfluenceResult, bootstrap, influence
from crossroads.measures.association.weat import WeatResult, weat
from crossroads.measures.chat.result import ChatResult
from crossroads.measures.chat.scores import chat_association, chat_decision
from crossroads.measures.comparison.battery import (
    CompareBatteryResult,
    DifferenceInterval,
    SavedDifference,
    compare_battery,
)
from crossroads.measures.comparison.models import CompareResult, compare
from crossroads.measures.comparison.traits import CompareTraitsResult, compare_traits
from crossroads.measures.contextual.battery import CeatBatteryResult, ceat_battery
from crossroads.measures.contextual.bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.measures.contextual.ceat import CeatResult, ceat
from crossroads.measures.contextual.groups import GroupCeatResult, group_ceat
from crossroads.measures.contextual.levels import (
    CombinedLevel,
    CombinedSimilarity,
    MultilevelCeatResult,
    multilevel_ceat,
)
from crossroads.measures.geometry.anisotropy import AnisotropyResult, anisotropy
from crossroads.measures.geometry.corrections import CorrectionsResult, corrected, corrections
from crossroads.measures.geometry.rsa import RsaGridResult, RsaResult, rsa, rsa_grid
from crossroads.measures.intersectional.detection import DetectionResult, eibd, ibd
from crossroads.measures.intersectional.discovery import DiscoveryResult, discover, null_threshold
from crossroads.measures.intersectional.wefat import ScoreTable, WefatResult, wefat
from crossroads.measures.pairs.dominance import DomainPair, DominanceResult, domain_dominance
from crossroads.measures.pairs.emergent import EmergentResult, emergent
from crossroads.measures.pairs.order import OrderSensitivityResult, order_sensitivity
from crossroads.measures.pairs.truth import EmergentTruthResult, against
from crossroads.measures.robustness import ChecksResult, checks
from crossroads.measures.sentences.pairs import Preference, SentencePairsResult, sentence_pairs
from crossroads.measures.sentences.triples import SentenceTriplesResult, StereotypeScores, sentence_triples
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.alignment_result import AlignmentResult, AlignmentTable, align_table
from crossroads.measures.traits.ilps import ilps, ilps_star
from crossroads.measures.traits.scores import TraitScores, read_scores
from crossroads.measures.traits.sensitivity import set_test
from crossroads.measures.traits.survey import Answers, ScreenResult, screen
from crossroads.measures.traits.templates import TemplateChoice, choose_templates

__all__ = [
    "AlignmentResult",
    "AlignmentTable",
    "AnisotropyResult",
    "Answers",
    "BatteryResult",
    "BootstrapResult",
    "CeatBatteryResult",
    "CeatBootstrapResult",
    "CeatResult",
    "ChatResult",
    "ChecksResult",
    "CombinedLevel",
    "CombinedSimilarity",
    "CompareBatteryResult",
    "CompareResult",
    "CompareTraitsResult",
    "CorrectionsResult",
    "DetectionResult",
    "DifferenceInterval",
    "DiscoveryResult",
    "DomainPair",
    "DominanceResult",
    "EmergentResult",
    "EmergentTruthResult",
    "FrequencyResult",
    "GroupCeatResult",
    "InfluenceResult",
    "MleatResult",
    "MultilevelCeatResult",
    "OrderSensitivityResult",
    "PlaceboResult",
    "Preference",
    "ReliabilityResult",
    "RsaGridResult",
    "RsaResult",
    "SavedDifference",
    "ScWeatResult",
    "ScoreTable",
    "ScreenResult",
    "SentencePairsResult",
    "SentenceTriplesResult",
    "SeriesResult",
    "Similarity",
    "StereotypeScores",
    "TemplateChoice",
    "TraitScores",
    "WeatResult",
    "WefatResult",
    "against",
    "align",
    "align_table",
    "anisotropy",
    "battery",
    "bootstrap",
    "ceat",
    "ceat_battery",
    "ceat_bootstrap",
    "chat_association",
    "chat_decision",
    "checks",
    "choose_templates",
    "compare",
    "compare_battery",
    "compare_traits",
    "corrected",
    "corrections",
    "discover",
    "domain_dominance",
    "eibd",
    "emergent",
    "frequency",
    "group_ceat",
    "ibd",
    "ilps",
    "ilps_star",
    "influence",
    "mleat",
    "multilevel_ceat",
    "null_threshold",
    "order_sensitivity",
    "placebo",
    "read_scores",
    "reliability",
    "rsa",
    "rsa_grid",
    "sc_weat",
    "screen",
    "sentence_pairs",
    "sentence_triples",
    "series",
    "set_test",
    "weat",
    "wefat",
]
