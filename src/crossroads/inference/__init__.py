"""Inference on scores: arithmetic that knows nothing of words or models."""

from crossroads.inference.permutation import PermutationResult, permutation_test

__all__ = ["PermutationResult", "permutation_test"]
