"""Statistics behind the measures: tests, adjustments, intervals and power.

>>> import crossroads as cr
>>> cr.stats.holm([0.01, 0.04, 0.03]).tolist()
[0.03, 0.06, 0.06]
"""

from crossroads.core.lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(__name__, __file__)
