"""What an audit measures, by kind of evidence."""
