"""What is printed: figures, and what a page needs to speak to its reader."""
