"""What a pair of identities has that its single identities do not."""
