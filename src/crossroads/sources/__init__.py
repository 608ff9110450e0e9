"""Where evidence comes from: vectors in files, transformers, CLIP models and embedding services."""
