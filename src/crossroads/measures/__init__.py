"""Published tests: evidence and a design in, a frozen result out."""

from crossroads.measures.battery import BatteryResult, SeriesResult, battery, series
from crossroads.measures.ceat import CeatResult, ceat
from crossroads.measures.ceat_battery import CeatBatteryResult, ceat_battery
from crossroads.measures.comparison import CompareResult, compare
from crossroads.measures.context_bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.measures.discovery import DiscoveryResult, discover, null_threshold
from crossroads.measures.group_ceat import GroupCeatResult, group_ceat
from crossroads.measures.intersectional import DetectionResult, eibd, ibd
from crossroads.measures.mleat import MleatResult, Similarity, mleat
from crossroads.measures.multilevel_ceat import (
    CombinedLevel,
    CombinedSimilarity,
    MultilevelCeatResult,
    multilevel_ceat,
)
from crossroads.measures.rsa import RsaGridResult, RsaResult, rsa, rsa_grid
from crossroads.measures.sc_weat import ScWeatResult, sc_weat
from crossroads.measures.stability import BootstrapResult, InfluenceResult, bootstrap, influence
from crossroads.measures.weat import WeatResult, weat
from crossroads.measures.wefat import ScoreTable, WefatResult, wefat

__all__ = [
    "BatteryResult",
    "BootstrapResult",
    "CeatBatteryResult",
    "CeatBootstrapResult",
    "CeatResult",
    "CombinedLevel",
    "CombinedSimilarity",
    "CompareResult",
    "DetectionResult",
    "DiscoveryResult",
    "GroupCeatResult",
    "InfluenceResult",
    "MleatResult",
    "MultilevelCeatResult",
    "RsaGridResult",
    "RsaResult",
    "ScWeatResult",
    "ScoreTable",
    "SeriesResult",
    "Similarity",
    "WeatResult",
    "WefatResult",
    "battery",
    "bootstrap",
    "ceat",
    "ceat_battery",
    "ceat_bootstrap",
    "compare",
    "discover",
    "eibd",
    "group_ceat",
    "ibd",
    "influence",
    "mleat",
    "multilevel_ceat",
    "null_threshold",
    "rsa",
    "rsa_grid",
    "sc_weat",
    "series",
    "weat",
    "wefat",
]
