"""Association tests on many vectors per word: CEAT and its levels."""
