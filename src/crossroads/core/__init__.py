"""What two subjects or more use; it imports none of them."""
