"""Which of two or three sentences a language model prefers."""
