"""Audits: the kind of a model, the measures that apply to it, and how they are run, kept and resumed."""

from crossroads.audit.audit import FinishedAudit, audit_cache, audit_folder, draw_once, run_audit, run_plan
from crossroads.audit.engine import Settings
from crossroads.audit.job import Session
from crossroads.audit.plan import Plan, make_plan
from crossroads.audit.progress import Event, ProgressTracker
from crossroads.sources.kinds import Kind, recognise
from crossroads.sources.words import SourceOptions

__all__ = [
    "Event",
    "FinishedAudit",
    "Kind",
    "Plan",
    "ProgressTracker",
    "Session",
    "Settings",
    "SourceOptions",
    "audit_cache",
    "audit_folder",
    "draw_once",
    "make_plan",
    "recognise",
    "run_audit",
    "run_plan",
]
