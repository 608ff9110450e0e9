"""Audits: the kind of a model, the measures that apply to it, and how they are run, kept and resumed."""
