"""Tests of chat models, from what they answer."""
