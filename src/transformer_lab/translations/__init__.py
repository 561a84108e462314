"""What a translator writes: its score, its hesitation, and what changes where the model lacks a part."""
