"""Encoders, language models, sentence encoders and vision-language models."""
