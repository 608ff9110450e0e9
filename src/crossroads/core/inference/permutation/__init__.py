"""Permutation p-values: counted exactly, bounded by a bracket, or sampled."""
