"""The public names and where each lives: the one place where they are written.

``__init__.py`` reads this file when the package is imported; type checkers and editors read it too.
"""

from crossroads import pairs as pairs
from crossroads import plots as plots
from crossroads import sources as sources
from crossroads import stats as stats
from crossroads import traits as traits
from crossroads.audit.audit import run_audit as run_audit
from crossroads.errors import CrossroadsError as CrossroadsError
from crossroads.errors import CrossroadsWarning as CrossroadsWarning
from crossroads.errors import InputError as InputError
from crossroads.errors import MissingStimuliError as MissingStimuliError
from crossroads.evidence.contexts import Contexts as Contexts
from crossroads.evidence.embeddings import Embeddings as Embeddings
from crossroads.evidence.logits import Logits as Logits
from crossroads.evidence.provenance import Provenance as Provenance
from crossroads.extraction.chat.ask import ask_chat as ask_chat
from crossroads.extraction.probe.run import probe as probe
from crossroads.extraction.sentences.run import score_sentences as score_sentences
from crossroads.inference.least_change import set_distance as set_distance
from crossroads.measures.association.battery import battery as battery
from crossroads.measures.association.frequency import frequency as frequency
from crossroads.measures.association.mleat import mleat as mleat
from crossroads.measures.association.placebo import placebo as placebo
from crossroads.measures.association.sc_weat import sc_weat as sc_weat
from crossroads.measures.association.series import series as series
from crossroads.measures.association.weat import weat as weat
from crossroads.measures.chat.scores import chat_association as chat_association
from crossroads.measures.chat.scores import chat_decision as chat_decision
from crossroads.measures.comparison.battery import compare_battery as compare_battery
from crossroads.measures.comparison.models import compare as compare
from crossroads.measures.contextual.battery import ceat_battery as ceat_battery
from crossroads.measures.contextual.ceat import ceat as ceat
from crossroads.measures.contextual.levels import multilevel_ceat as multilevel_ceat
from crossroads.measures.geometry.rsa import rsa as rsa
from crossroads.measures.geometry.rsa import rsa_grid as rsa_grid
from crossroads.measures.intersectional.detection import eibd as eibd
from crossroads.measures.intersectional.detection import ibd as ibd
from crossroads.measures.intersectional.discovery import discover as discover
from crossroads.measures.intersectional.wefat import wefat as wefat
from crossroads.measures.robustness import checks as checks
from crossroads.measures.sentences.pairs import sentence_pairs as sentence_pairs
from crossroads.measures.sentences.triples import sentence_triples as sentence_triples
from crossroads.measures.traits.alignment import align as align
from crossroads.measures.traits.ilps import ilps as ilps
from crossroads.measures.traits.ilps import ilps_star as ilps_star
from crossroads.measures.traits.sensitivity import set_test as set_test
from crossroads.sources.endpoints.embeddings import endpoint_embeddings as endpoint_embeddings
from crossroads.sources.load import load as load
from crossroads.sources.load import load_series as load_series
from crossroads.sources.models.clip import clip_embeddings as clip_embeddings
from crossroads.sources.models.prompted import prompted_embeddings as prompted_embeddings
from crossroads.sources.words import embed_series as embed_series
from crossroads.sources.words import embed_words as embed_words
from crossroads.stimuli.catalogue.lookup import batteries as batteries
from crossroads.stimuli.catalogue.lookup import catalog as catalog
from crossroads.stimuli.design import Design as Design
from crossroads.stimuli.files.designs import read_design as read_design
from crossroads.stimuli.files.designs import read_designs as read_designs
from crossroads.stimuli.sets import StimulusSet as StimulusSet

__version__: str
