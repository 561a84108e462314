"""How PyTorch translates sentences, written down for a browser to be compared with."""

import json


def write_translations(model, texts, id_pairs, folder, copied_ids=(), **search_options):
    """Write how PyTorch translates sentences, for a browser to be compared with.

    ``translations.json`` has for each sentence its text, its ids with EOS, the ids of its greedy
    and its beam translation, and the scores of all hypotheses of the beam search.
    ``logits.safetensors`` has by its number the logits, (m, words), float32, of the decoder that
    reads BOS and the greedy translation.

    Parameters
    ----------
    model : Transformer
    texts : list of str
    id_pairs : list of (list of int, list of int)
        The ids of the texts without marks; of their translations nothing is read.
    folder : pathlib.Path
    copied_ids : sequence of int
        As of ``decode.greedy``.
    **search
        As of ``decode.beam_search``.
    """
    from safetensors.torch import save_file

    from transformer_book import data, decode

    source = data.collate(id_pairs).source
    greedy, logits = translate_greedily(model, source, copied_ids)
    beam = decode.beam_search(model, source, copied_ids=copied_ids, **search_options)
    logits_by_number = {
        str(i): logits[i, : len(translation) + 1].clone()
        for i, translation in enumerate(greedy)
    }
    save_file(logits_by_number, folder / "logits.safetensors")
    translations = [
        {
            "text": text,
            "source": row[row != data.PAD].tolist(),
            "greedy": translation,
            "beam": hypotheses[0].ids,
            "scores": [hypothesis.score for hypothesis in hypotheses],
        }
        for text, row, translation, hypotheses in zip(texts, source, greedy, beam)
    ]
    text = json.dumps(translations, ensure_ascii=False)
    (folder / "translations.json").write_text(text, "utf-8")


def translate_greedily(model, source_ids, copied_ids=()) -> tuple:
    """Translate greedily; return the ids, and the logits of the decoder that reads them."""
    import torch

    from transformer_book import data, decode

    greedy = decode.greedy(model, source_ids, copied_ids=copied_ids)
    pairs = [
        (row[row != data.PAD].tolist()[:-1], translation)
        for row, translation in zip(source_ids, greedy)
    ]
    batch = data.collate(pairs)
    with torch.inference_mode():
        logits, _ = model(batch.source, batch.decoder_input)
    return greedy, logits
