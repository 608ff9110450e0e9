"""The public names of this group, and where each lives."""

from crossroads.chat.scores import chat_association as chat_association
from crossroads.core.inference.multiplicity import benjamini_hochberg as benjamini_hochberg
from crossroads.core.inference.multiplicity import benjamini_yekutieli as benjamini_yekutieli
from crossroads.core.inference.multiplicity import holm as holm
from crossroads.core.inference.permutation.test import permutation_test as permutation_test
from crossroads.core.inference.random_effects import combine as combine
from crossroads.intersections.detection import eibd as eibd
from crossroads.intersections.discovery import null_threshold as null_threshold
from crossroads.intersections.wefat import wefat as wefat
from crossroads.traits.measures.least_change import set_distance as set_distance
from crossroads.words.checks.corrections import anisotropy as anisotropy
from crossroads.words.checks.corrections import corrected as corrected
from crossroads.words.checks.corrections import corrections as corrections
from crossroads.words.checks.placebo import ordinary as ordinary
from crossroads.words.measures.stability import influence as influence
