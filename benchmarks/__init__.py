"""What is claimed to be fast, measured against a peer in the same run."""
