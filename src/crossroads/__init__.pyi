"""The public names and where each lives: the one place where they are written.

``__init__.py`` reads this file when the package is imported; type checkers and editors read it too.
"""

from crossroads import pairs as pairs
from crossroads import plots as plots
from crossroads import sources as sources
from crossroads import stats as stats
from crossroads import traits as traits
from crossroads.chat.ask import ask_chat as ask_chat
from crossroads.chat.scores import chat_test as chat_test
from crossroads.comparison.meta import meta as meta
from crossroads.comparison.models import compare as compare
from crossroads.contexts.measures.ceat import ceat as ceat
from crossroads.core.audit.audit import run_audit as run_audit
from crossroads.core.errors import CrossroadsError as CrossroadsError
from crossroads.core.errors import CrossroadsWarning as CrossroadsWarning
from crossroads.core.errors import InputError as InputError
from crossroads.core.errors import MissingStimuliError as MissingStimuliError
from crossroads.core.evidence.contexts import Contexts as Contexts
from crossroads.core.evidence.embeddings import Embeddings as Embeddings
from crossroads.core.results.robustness import checks as checks
from crossroads.core.stimuli.catalogue.index import catalog as catalog
from crossroads.core.stimuli.design import Design as Design
from crossroads.core.stimuli.files.designs import read_designs as read_designs
from crossroads.intersections.detection import ibd as ibd
from crossroads.intersections.discovery import discover as discover
from crossroads.intersections.rsa import rsa as rsa
from crossroads.sentences.score import score_sentences as score_sentences
from crossroads.sentences.triples import sentence_test as sentence_test
from crossroads.traits.measures.ilps import ilps as ilps
from crossroads.traits.measures.least_change import set_test as set_test
from crossroads.traits.people.alignment import align as align
from crossroads.traits.probe.evidence import Logits as Logits
from crossroads.traits.probe.run import probe as probe
from crossroads.words.checks.frequency import frequency as frequency
from crossroads.words.checks.placebo import placebo as placebo
from crossroads.words.measures.battery import battery as battery
from crossroads.words.measures.mleat import mleat as mleat
from crossroads.words.measures.plan import plan as plan
from crossroads.words.measures.projection import projection as projection
from crossroads.words.measures.sc_weat import sc_weat as sc_weat
from crossroads.words.measures.series import series as series
from crossroads.words.measures.weat import weat as weat
from crossroads.words.models.ask import load as load
from crossroads.words.models.ask import load_series as load_series

__version__: str
