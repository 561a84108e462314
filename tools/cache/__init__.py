"""Earlier results, looked up by a hash of everything that they depend on."""
