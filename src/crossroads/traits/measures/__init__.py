"""Groups by traits in language models: ILPS, ILPS*, SeT, and their agreement with people."""
