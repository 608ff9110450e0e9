"""Everything that the program says, frozen, so that a later commit can be compared with it value by value."""
