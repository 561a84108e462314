"""The models of the book: trained once, shipped with the site, and what PyTorch computes with them."""
