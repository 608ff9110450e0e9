"""One vector per occurrence: sentences of a corpus, their embedding, and the tests over contexts."""
