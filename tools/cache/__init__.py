"""What was made before: found again by a hash of all that it was made of."""
