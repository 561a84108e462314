"""A lesson is among the first three results for its name, for its terms and for what readers ask."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PAGES_BY_QUERY = {
    "tour": "tour",
    "mathematics": "words/mathematics",
    "dot product": "words/mathematics",
    "chain rule": "words/mathematics",
    "why attention": "words/why_attention",
    "tokens": "words/tokens",
    "token": "words/tokens",
    "BPE": "words/tokens",
    "byte-pair encoding": "words/tokens",
    "分词器": "words/tokens",
    "learning": "words/learning",
    "cross-entropy": "words/learning",
    "Adam": "words/learning",
    "embeddings": "words/embeddings",
    "embedding": "words/embeddings",
    "word2vec": "words/embeddings",
    "词嵌入": "words/embeddings",
    "positions": "words/positions",
    "positional encoding": "words/positions",
    "位置编码": "words/positions",
    "fusion": "words/fusion",
    "eight steps": "attention/eight_steps",
    "scaled dot-product attention": "attention/eight_steps",
    "query": "attention/eight_steps",
    "scaling": "attention/scaling",
    "square root": "attention/scaling",
    "heads": "attention/heads",
    "multi-head attention": "attention/heads",
    "masks": "attention/masks",
    "attention mask": "attention/masks",
    "causal mask": "attention/masks",
    "padding": "attention/masks",
    "cross attention": "attention/cross_attention",
    "add and norm": "transformer/add_and_norm",
    "layer norm": "transformer/add_and_norm",
    "layer norm vs batch norm": "transformer/add_and_norm",
    "residual connection": "transformer/add_and_norm",
    "feed forward": "transformer/feed_forward",
    "feed-forward network": "transformer/feed_forward",
    "encoder": "transformer/stacks",
    "stacks": "transformer/stacks",
    "full model": "transformer/full_model",
    "training": "transformer/training",
    "label smoothing": "transformer/training",
    "teacher forcing": "transformer/training",
    "decoding": "transformer/decoding",
    "beam": "transformer/decoding",
    "beam search": "transformer/decoding",
    "looking inside": "transformer/looking_inside",
    "BLEU": "transformer/real_translation",
    "language model": "beyond/language_model",
    "KV cache": "beyond/kv_cache",
    "grouped-query attention": "beyond/shared_heads",
    "flash attention": "beyond/flash",
    "paged cache": "beyond/paged",
    "RoPE": "beyond/positions_revisited",
    "RMSNorm": "beyond/norms_and_activations",
    "mixture of experts": "beyond/experts",
    "LoRA": "beyond/lora",
    "scaling laws": "beyond/scaling_laws",
    # Questions, and words that the book does not use or writes in another way.
    "how does the model know word order": "words/positions",
    "why divide by root d_k": "attention/scaling",
    "why sqrt": "attention/scaling",
    "fine-tune a big model cheaply": "beyond/lora",
    "how do transformers stop looking at future tokens": "attention/masks",
    "why are LLMs slow at generating text": "beyond/prefill_and_decode",
    "how many heads should I use": "attention/heads",
    "backpropagation": "words/learning",
    "multihead": "attention/heads",
    "feedforward": "transformer/feed_forward",
    "soft max": "words/learning",
    "finetune": "beyond/lora",
    "kvcache": "beyond/kv_cache",
    "postnorm prenorm": "transformer/add_and_norm",
    "continous batching": "beyond/serving",
    "tokenization": "words/tokens",
    "QKV": "attention/eight_steps",
    "vLLM": "beyond/paged",
    "nn.MultiheadAttention": "attention/heads",
    "F.scaled_dot_product_attention": "attention/eight_steps",
    "masked_fill": "attention/masks",
    "CrossEntropyLoss": "words/learning",
    "past_key_values": "beyond/kv_cache",
    "mask shape mismatch": "attention/masks",
    "mat1 and mat2 shapes cannot be multiplied": "reference/mistakes",
    "CUDA out of memory": "beyond/recompute",
    "为什么要除以根号": "attention/scaling",
    "为什么需要位置信息": "words/positions",
    "什么是自注意力": "attention/eight_steps",
    "梯度消失": "transformer/add_and_norm",
    "层归一化和批归一化的区别": "transformer/add_and_norm",
    "如何微调大模型": "beyond/lora",
    "大模型推理很慢": "beyond/prefill_and_decode",
}
FIRST = """() => [...document.querySelectorAll('#search-results > ul > li > a')].slice(0, 3)
    .map((link) => link.pathname.split('/').slice(-2).join('/').replace(/\\.html$/, ''))"""


@pytest.mark.parametrize("query", PAGES_BY_QUERY)
def test_a_lesson_is_among_the_first_three(query, visit, address):
    page = visit(f"{address}/search.html?q={query}")
    page.locator("#search-results > ul > li").first.wait_for()
    expected = PAGES_BY_QUERY[query]
    assert any(name.endswith(expected) for name in page.evaluate(FIRST)), page.evaluate(
        FIRST
    )


def test_a_result_says_the_lesson_s_name_and_its_question(visit, address):
    page = visit(f"{address}/search.html?q=masks")
    first = page.locator("#search-results > ul > li > a").first
    first.wait_for()
    assert first.inner_text().startswith("Masks – How can a model learn")


def test_a_laboratory_is_named_once(visit, address):
    page = visit(f"{address}/search.html?q=KV cache lab")
    found = page.locator("#search-results > ul > li > a", has_text="aboratory").first
    found.wait_for()
    assert found.inner_text().split(" › ")[0] == "Laboratory: the KV cache"


@pytest.mark.parametrize(
    "query, sentence",
    [
        ("masks", "Found \\d+ pages, the best ones first\\."),
        ("zxqvv", "No page was found\\. Try another word for the same thing\\."),
    ],
)
def test_a_sentence_says_how_many_pages_were_found(query, sentence, visit, address):
    page = visit(f"{address}/search.html?q={query}")
    expect(page.locator(".search-summary")).to_have_text(re.compile(f"^{sentence}$"))


def test_the_empty_page_says_what_one_can_search_for(visit, address):
    page = visit(f"{address}/search.html")
    text = page.locator("#search-results").inner_text()
    assert "PyTorch" in text and "Chinese" in text and "for example" in text
