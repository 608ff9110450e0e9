"""Static word vectors in every common format."""
