"""Inference on scores: arithmetic on numbers, independent of words and models."""

from crossroads.core.inference.permutation.test import PermutationResult, permutation_test

__all__ = ["PermutationResult", "permutation_test"]
