"""Statistics behind the measures: tests, adjustments, intervals and power.

>>> import crossroads as cr
>>> cr.stats.holm([0.01, 0.04, 0.03]).tolist()
[0.03, 0.06, 0.06]
"""

from crossroads.inference.multiplicity import benjamini_hochberg as benjamini_hochberg
from crossroads.inference.multiplicity import benjamini_yekutieli as benjamini_yekutieli
from crossroads.inference.multiplicity import holm as holm
from crossroads.inference.permutation.test import permutation_test as permutation_test
from crossroads.inference.power import minimum_detectable as minimum_detectable
from crossroads.inference.random_effects import combine as combine
from crossroads.measures.association.reliability import reliability as reliability
from crossroads.measures.association.stability import bootstrap as bootstrap
from crossroads.measures.association.stability import influence as influence
from crossroads.measures.contextual.bootstrap import ceat_bootstrap as ceat_bootstrap
from crossroads.measures.geometry.anisotropy import anisotropy as anisotropy
from crossroads.measures.geometry.corrections import corrected as corrected
from crossroads.measures.geometry.corrections import corrections as corrections
from crossroads.measures.intersectional.discovery import null_threshold as null_threshold
