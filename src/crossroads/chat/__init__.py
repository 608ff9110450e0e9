"""Questions to chat models, and their answers, which are kept."""
