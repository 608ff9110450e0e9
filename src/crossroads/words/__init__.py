"""One vector per word: where vectors come from, the tests of association, and checks of these."""
