"""The map of the model, which the first page and the tour show: what leads where."""

from transformer_book import data

BOXES_OF_CHAPTER = {
    "words/tokens": ["inputs", "outputs"],
    "words/embeddings": ["input_embedding", "output_embedding"],
    "words/positions": ["positional_encoding"],
    "words/fusion": ["addition"],
    "attention/eight_steps": ["self_attention"],
    "attention/masks": ["masked_self_attention"],
    "attention/cross_attention": ["cross_attention"],
    "transformer/add_and_norm": ["add_and_norm"],
    "transformer/feed_forward": ["feed_forward"],
    "transformer/stacks": ["encoder", "decoder", "linear", "softmax"],
}


def chapter_links() -> dict[str, str]:
    """Return the address of each box's chapter, from a page at the top of the book."""
    return {
        box: f"{page}.html" for page, boxes in BOXES_OF_CHAPTER.items() for box in boxes
    }


def widget_start_values() -> dict:
    """Return what the widget ``map`` begins with: the book's sentence, the paper's base model."""
    source, target = data.parallel_corpus.FOLLOWED_PAIR
    sizes = {"d_model": 512, "h": 8, "N": 6, "vocabulary": 37_000}
    return {"source": source, "target": target} | sizes
