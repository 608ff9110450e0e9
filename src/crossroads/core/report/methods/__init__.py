"""The methods paragraph of an audit, its conventions and its citations."""
