"""The laboratory's command line: ``python -m transformer_lab COMMAND --help``."""

import argparse
import sys
from importlib import import_module

COMMANDS = {
    "train": "train a translator and save it in a folder",
    "evaluate": "score the translations of a run",
    "ship": "round a translator to eight bits, for the page that runs it",
    "choices": "record what each choice of a run bought",
    "ablations": "train the book's translator without each of its ingredients",
    "consistency": "train the book's translator on two passes of each batch that must agree",
    "recut-words": "train the book's translator on words cut once, and anew in each epoch",
    "experts": "train language models with mixtures of experts, balanced and not",
    "efficient-training": "train in sixteen bits, with weight decay, and with LoRA",
    "positions": "train language models whose positions enter in different ways",
    "norms": "train language models with other norms, bends and gates",
    "shared-heads": "train language models with fewer and fewer heads of keys",
    "families": "train a masked and a causal model, and ask both to fill gaps and to write",
    "scaling-laws": "train a ladder of language models of eight sizes",
    "word-vectors": "train word vectors and record what they know",
}
# The module whose main function each of them is.
MODULES = {
    "train": "translator.training_run",
    "evaluate": "translator.evaluate",
    "ship": "translator.export",
    "choices": "translator.choices",
    "ablations": "translations.ablations",
    "consistency": "translations.consistency",
    "recut-words": "translations.recut_words",
    "experts": "language.experts",
    "efficient-training": "language.efficient_training",
    "positions": "language.positions",
    "norms": "language.norms",
    "shared-heads": "language.shared_heads",
    "families": "language.masked_and_causal",
    "scaling-laws": "language.scaling_ladder",
    "word-vectors": "words.word_vectors",
}


def main(argv=None):
    """Hand the rest of the command line to the command that it begins with."""
    arguments = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab",
        description="; ".join(
            f"{name}: {help_text}" for name, help_text in COMMANDS.items()
        ),
        epilog="COMMAND --help has its options.",
    )
    parser.add_argument("command", choices=COMMANDS)
    module_of(parser.parse_args(arguments[:1]).command).main(arguments[1:])


def module_of(command):
    """Import the module behind a command, and it alone: torch and gensim take seconds to import."""
    return import_module(f"transformer_lab.{MODULES[command]}")


if __name__ == "__main__":
    main()
