"""Which stimuli have vectors, which do not, and which are in two sets."""
