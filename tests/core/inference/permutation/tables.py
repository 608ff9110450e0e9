"""Tables of scores, one test per row."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossroads.core.inference.permutation.rows import RowsResult, permutation_blocks


def permutation_rows(scores: Any, n_x: int, **options: Any) -> RowsResult:
    """Test every row of a table, in one block."""
    return permutation_blocks([np.asarray(scores, dtype=np.float64)], scores.shape, n_x, **options)
