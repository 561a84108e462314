"""The answers of part 3 that are about the whole model, its training and decoding."""

import math

from . import ROUNDING_TOLERANCE, Answer


def base_parameter_count(vocabulary_size=37_000, d=512, d_ff=2048, N=6) -> int:
    """Return the parameters of the base model with one shared matrix of embeddings."""
    attention, norm = 4 * d * d, 2 * d
    network = 2 * d * d_ff + d_ff + d
    layers = (attention + network + 2 * norm) + (2 * attention + network + 3 * norm)
    return vocabulary_size * d + N * layers


def one_page_parameter_count(
    english_vocabulary_size: int,
    chinese_vocabulary_size: int,
    has_network_biases=True,
    norms_per_layer=(2, 3),
    attentions_per_layer=(1, 2),
) -> int:
    """Return the parameters of the model on one page, from its two vocabularies."""
    d, d_ff = 64, 256
    network = 2 * d * d_ff + d_ff + d if has_network_biases else 2 * d * d_ff
    layers = sum(
        a * 4 * d * d + network + n * 2 * d
        for a, n in zip(attentions_per_layer, norms_per_layer)
    )
    return (english_vocabulary_size + chinese_vocabulary_size) * d + 2 * layers


def bleu_p_1_percent(is_clipped=True) -> float:
    """Return p_1 of seven times "the" in percent."""
    reference, said = "the cat is on the mat".split(), ["the"] * 7
    counted = sum(word in reference for word in said)
    if is_clipped:
        counted = sum(min(said.count(w), reference.count(w)) for w in set(said))
    return 100 * counted / len(said)


def summed_loss_of_choices(p=0.7, choice_count=2) -> float:
    return -choice_count * math.log(p)


ANSWERS = {
    "ex-full-two": Answer(
        "the number of parameters",
        base_parameter_count,
        (
            (
                lambda: base_parameter_count(18_500),
                "you counted one of the two vocabularies; both have a matrix",
            ),
            (
                lambda: base_parameter_count(3 * 18_500),
                "the embedding of the target is also the output layer, so count it once",
            ),
        ),
    ),
    "ex-full-length": Answer(
        "two numbers of words: the first length, and the second",
        lambda: [2 * 512, 6 * 512],
        (
            ([1024, 4096], "the products with all the matrices take 12 n d_model²"),
            (
                [1024, 2048],
                "the products with the four matrices of attention count, too",
            ),
            ([2048, 6144], "the scores and averages together take 2 n² d_model"),
            ([512, 1536], "4 n d_model² equals 2 n² d_model at n = 2 d_model"),
        ),
    ),
    "ex-full-transpose": Answer(
        'the name of the matrix for which PyTorch reports no error, such as "W_1"',
        lambda: "W_O",
        (
            ("W_1", "W_1 is not square, so its transpose has another shape"),
            ("W_2", "W_2 is not square, so its transpose has another shape"),
            (
                "W_Q",
                "in PyTorch's module, W_Q, W_K and W_V are one matrix, which is not square",
            ),
        ),
    ),
    "ex-training-least": Answer(
        "the first sum, in nats",
        summed_loss_of_choices,
        (
            (
                lambda: summed_loss_of_choices(choice_count=1),
                "two tokens have a choice, *sat* and *slept*",
            ),
            (0.49, "that is the probability; the loss is minus its logarithm"),
            (lambda: -math.log2(0.49), "you gave the loss in bits"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-training-padding": Answer(
        "a function of two lists, the mean losses of the batches and their numbers of labels, that "
        "returns the sum of the losses of all tokens",
        lambda means, words: sum(m * n for m, n in zip(means, words)),
        (
            (
                lambda means, words: sum(means),
                "you added the means; each has to be multiplied by its labels",
            ),
            (
                lambda means, words: (
                    sum(m * n for m, n in zip(means, words)) / sum(words)
                ),
                "that is the mean; the sum is asked",
            ),
            (
                lambda means, words: sum(means) / len(means),
                "that is the mean of the means, in which a short sentence counts too much",
            ),
        ),
        1e-4,
        lambda: [([0.25, 0.5], [8, 20]), ([1.0], [3]), ([0.1, 0.4, 0.3], [5, 9, 1])],
    ),
    "ex-training-first-loss": Answer(
        "a function of the size V of the vocabulary that returns the loss of a model whose output "
        "matrix contains only zeros",
        math.log,
        (
            (math.log2, "you gave the loss in bits; the book counts nats"),
            (
                lambda V: 0.0,
                "equal logits do not make the loss 0; they make all probabilities equal",
            ),
            (
                lambda V: 1 / V,
                "that is the probability of a token; the loss is minus its logarithm",
            ),
        ),
        1e-3,
        lambda: [(50,), (37_000,)],
    ),
    "ex-decoding-top-p": Answer(
        "two numbers: the tokens that top-p keeps, and those that top-k keeps",
        lambda: [1, 5],
        (
            ([5, 1], "you exchanged the two"),
            (
                [0, 5],
                "top-p keeps the tokens until their sum reaches p, so at least one",
            ),
            ([1, 1], "top-k keeps k tokens, however unlikely they are"),
        ),
    ),
    "ex-decoding-cost": Answer(
        "a function of d_model and d_ff that returns the value of m + n",
        lambda d, d_ff: 3 * d + d_ff,
        (
            (
                lambda d, d_ff: 4 * d + d_ff,
                "the keys and values of the source are in the cache, so cross-attention has two products",
            ),
            (
                lambda d, d_ff: 6 * d + 2 * d_ff,
                "each key and each value costs: scores and averages",
            ),
            (lambda d, d_ff: 2 * d + d_ff, "you left out the cross-attention"),
            (lambda d, d_ff: 3 * d, "you left out the feed-forward network"),
        ),
        1e-4,
        lambda: [(512, 2048), (64, 256), (100, 700)],
    ),
    "ex-decoding-more-beams": Answer(
        "two values, True or False: whether the mean rises from one beam to two, and whether the "
        "log-probability has to rise for every single sentence",
        lambda: [True, False],
        (
            (
                [True, True],
                "other beginnings can displace the one that leads to the best translation",
            ),
        ),
    ),
    "ex-decoding-one-beam": Answer(
        "True or False: whether the length penalty can make a difference with one beam",
        lambda: False,
        (
            (
                True,
                "there is only one finished sentence, so there is nothing to compare it with",
            ),
        ),
    ),
    "ex-inside-row": Answer("the English word", lambda: "sat"),
    "ex-inside-brown": Answer(
        "two values, True or False: whether the probability has to fall if the head gave *brown* a "
        "large weight, and whether it can fall if the head gave it no weight",
        lambda: [False, True],
        (
            (
                [True, False],
                "a weight does not say how much the word is needed: run it for every head",
            ),
        ),
    ),
    "ex-inside-kinds": Answer(
        "True or False: whether all heads of cross-attention are equally good at both kinds of words",
        lambda: False,
        (
            (
                True,
                "a mean over all words hides what a head is good at: look at each head",
            ),
        ),
    ),
    "ex-inside-everywhere": Answer(
        "True or False: whether the vectors at other positions help the decoder",
        lambda: False,
        ((True, "the probability is practically zero either way"),),
    ),
    "ex-inside-they": Answer(
        "the number of heads that look most at *they*",
        lambda: 3,
        ((8, "that is the number of all the heads of cross-attention"),),
    ),
    "ex-one-page-without": Answer(
        'what is missing from that model, one of the texts "tril", "positions" and "addition"',
        lambda: "tril",
        (
            ("positions", "without positions, a model learns less easily, not more"),
            ("addition", "without the addition, a model learns less easily, not more"),
        ),
    ),
    "ex-one-page-count": Answer(
        "a function of the sizes of the English and the Chinese vocabulary that returns the number of "
        "parameters",
        one_page_parameter_count,
        (
            (
                lambda e, c: one_page_parameter_count(e, c, has_network_biases=False),
                "you forgot either the biases of the networks or the norms (they are equally many)",
            ),
            (
                lambda e, c: one_page_parameter_count(e, c, norms_per_layer=(2, 2)),
                "a decoder layer has three norms",
            ),
            (
                lambda e, c: one_page_parameter_count(
                    e, c, attentions_per_layer=(1, 1)
                ),
                "a decoder layer has two attentions",
            ),
            (
                lambda e, c: one_page_parameter_count(e, 2 * c),
                "the output layer is the Chinese embedding again; count it once",
            ),
            (
                lambda e, c: (
                    (one_page_parameter_count(e, c) - 64 * (e + c)) // 2 + 64 * (e + c)
                ),
                "there are two layers of each kind",
            ),
        ),
        inputs=lambda: [(30, 40), (55, 61)],
    ),
    "ex-one-page-pre": Answer(
        "the number of norms that have to be added in the whole model",
        lambda: 2,
        (
            (1, "there are two stacks"),
            (0, "nothing normalises the sum that leaves the last layer"),
        ),
    ),
    "ex-one-page-decoder": Answer(
        "the name of the layer class that you delete",
        lambda: "DecoderLayer",
        (("EncoderLayer", "there is no memory, so cross-attention has to go"),),
    ),
    "ex-real-clip": Answer(
        "two numbers in percent: p₁ with clipping and without it, for a translation that repeats one "
        "word seven times",
        lambda: [bleu_p_1_percent(), bleu_p_1_percent(is_clipped=False)],
        (
            ([100 / 7, 100], "another word occurs more often in the reference"),
            ([2 / 7, 1], "the numbers should be in percent"),
            (
                [100 / 3, 100],
                "p₁ is a share of the words of the translation, of which there are seven",
            ),
            ([100, 200 / 7], "you exchanged the two"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-real-two-runs": Answer(
        "True or False: whether the mean of the weights computes the same function",
        lambda: False,
        (
            (
                True,
                "a hidden unit of one network is averaged with another unit of the other",
            ),
        ),
    ),
}
