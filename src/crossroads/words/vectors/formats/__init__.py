"""One module per file format of word vectors."""
