"""RSA of word vectors (Lepori)."""
