"""What plots and diagrams are drawn with: page, palette, text, axes, SVG."""
