"""Running the pages: from their sources to their outputs, and on to notebooks."""
