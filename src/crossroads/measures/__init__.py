"""Published tests: evidence and a design in, a frozen result out."""

from crossroads.measures.battery import BatteryResult, SeriesResult, battery, series
from crossroads.measures.comparison import CompareResult, compare
from crossroads.measures.mleat import MleatResult, Similarity, mleat
from crossroads.measures.sc_weat import ScWeatResult, sc_weat
from crossroads.measures.stability import BootstrapResult, InfluenceResult, bootstrap, influence
from crossroads.measures.weat import WeatResult, weat

__all__ = [
    "BatteryResult",
    "BootstrapResult",
    "CompareResult",
    "InfluenceResult",
    "MleatResult",
    "ScWeatResult",
    "SeriesResult",
    "Similarity",
    "WeatResult",
    "battery",
    "bootstrap",
    "compare",
    "influence",
    "mleat",
    "sc_weat",
    "series",
    "weat",
]
