"""Published tests: evidence and a design in, a frozen result out."""

from crossroads.measures.alignment import AlignmentResult, align
from crossroads.measures.alignment_table import AlignmentTable, align_table
from crossroads.measures.battery import BatteryResult, SeriesResult, battery, series
from crossroads.measures.ceat import CeatResult, ceat
from crossroads.measures.ceat_battery import CeatBatteryResult, ceat_battery
from crossroads.measures.compare_battery import (
    CompareBatteryResult,
    DifferenceInterval,
    SavedDifference,
    compare_battery,
)
from crossroads.measures.comparison import CompareResult, compare
from crossroads.measures.context_bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.measures.discovery import DiscoveryResult, discover, null_threshold
from crossroads.measures.domain_dominance import DomainPair, DominanceResult, domain_dominance
from crossroads.measures.emergent import EmergentResult, emergent
from crossroads.measures.emergent_truth import EmergentTruthResult, against
from crossroads.measures.group_ceat import GroupCeatResult, group_ceat
from crossroads.measures.ilps import ilps, ilps_star
from crossroads.measures.intersectional import DetectionResult, eibd, ibd
from crossroads.measures.mleat import MleatResult, Similarity, mleat
from crossroads.measures.multilevel_ceat import (
    CombinedLevel,
    CombinedSimilarity,
    MultilevelCeatResult,
    multilevel_ceat,
)
from crossroads.measures.order_sensitivity import OrderSensitivityResult, order_sensitivity
from crossroads.measures.rsa import RsaGridResult, RsaResult, rsa, rsa_grid
from crossroads.measures.sc_weat import ScWeatResult, sc_weat
from crossroads.measures.sensitivity import set_test
from crossroads.measures.stability import BootstrapResult, InfluenceResult, bootstrap, influence
from crossroads.measures.survey import Answers, ScreenResult, screen
from crossroads.measures.template_choice import TemplateChoice, choose_templates
from crossroads.measures.trait_comparison import CompareTraitsResult, compare_traits
from crossroads.measures.trait_scores import TraitScores, read_scores
from crossroads.measures.weat import WeatResult, weat
from crossroads.measures.wefat import ScoreTable, WefatResult, wefat

__all__ = [
    "AlignmentResult",
    "AlignmentTable",
    "Answers",
    "BatteryResult",
    "BootstrapResult",
    "CeatBatteryResult",
    "CeatBootstrapResult",
    "CeatResult",
    "CombinedLevel",
    "CombinedSimilarity",
    "CompareBatteryResult",
    "CompareResult",
    "CompareTraitsResult",
    "DetectionResult",
    "DifferenceInterval",
    "DiscoveryResult",
    "DomainPair",
    "DominanceResult",
    "EmergentResult",
    "EmergentTruthResult",
    "GroupCeatResult",
    "InfluenceResult",
    "MleatResult",
    "MultilevelCeatResult",
    "OrderSensitivityResult",
    "RsaGridResult",
    "RsaResult",
    "SavedDifference",
    "ScWeatResult",
    "ScoreTable",
    "ScreenResult",
    "SeriesResult",
    "Similarity",
    "TemplateChoice",
    "TraitScores",
    "WeatResult",
    "WefatResult",
    "against",
    "align",
    "align_table",
    "battery",
    "bootstrap",
    "ceat",
    "ceat_battery",
    "ceat_bootstrap",
    "choose_templates",
    "compare",
    "compare_battery",
    "compare_traits",
    "discover",
    "domain_dominance",
    "eibd",
    "emergent",
    "group_ceat",
    "ibd",
    "ilps",
    "ilps_star",
    "influence",
    "mleat",
    "multilevel_ceat",
    "null_threshold",
    "order_sensitivity",
    "read_scores",
    "rsa",
    "rsa_grid",
    "sc_weat",
    "screen",
    "series",
    "set_test",
    "weat",
    "wefat",
]
