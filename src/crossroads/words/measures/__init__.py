"""Association tests on one vector per word: WEAT, ML-EAT, SC-WEAT, their battery and their stability."""
