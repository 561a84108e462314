"""The laboratory's command line: ``python -m transformer_lab COMMAND --help``."""

import argparse
import sys
from importlib import import_module

# The module whose main function each command is, and what it does.
COMMANDS: dict[str, tuple[str, str]] = {
    "train": (
        "translator.training_run",
        "train a translator and save it in a folder",
    ),
    "evaluate": (
        "translator.evaluate",
        "score the translations of a run",
    ),
    "ship": (
        "translator.export",
        "round a translator to eight bits, for the page that runs it",
    ),
    "shipped-marks": (
        "translator.shipped_marks",
        "count the numbers and names that the site's translator lets arrive",
    ),
    "choices": (
        "translator.choices",
        "record what each choice of a run bought",
    ),
    "ablations": (
        "translations.ablations",
        "train the book's translator without each of its ingredients",
    ),
    "consistency": (
        "translations.consistency",
        "train the book's translator on two passes of each batch that must agree",
    ),
    "recut-words": (
        "translations.recut_words",
        "train the book's translator on words cut once, and anew in each epoch",
    ),
    "experts": (
        "language.experts",
        "train language models with mixtures of experts, balanced and not",
    ),
    "efficient-training": (
        "language.efficient_training",
        "train in sixteen bits, with weight decay, and with LoRA",
    ),
    "positions": (
        "language.positions",
        "train language models whose positions enter in different ways",
    ),
    "norms": (
        "language.norms",
        "train language models with other norms, bends and gates",
    ),
    "shared-heads": (
        "language.shared_heads",
        "train language models with fewer and fewer heads of keys",
    ),
    "families": (
        "language.masked_and_causal",
        "train a masked and a causal model, and ask both to fill gaps and to write",
    ),
    "scaling-laws": (
        "language.scaling_ladder",
        "train a ladder of language models of eight sizes",
    ),
    "word-vectors": (
        "words.word_vectors",
        "train word vectors and record what they know",
    ),
}


def main(argv=None):
    """Hand the rest of the command line to the command that it begins with."""
    arguments = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab",
        description="; ".join(
            f"{name}: {help_text}" for name, (_, help_text) in COMMANDS.items()
        ),
        epilog="COMMAND --help has its options.",
    )
    parser.add_argument("command", choices=COMMANDS)
    import_command_module(parser.parse_args(arguments[:1]).command).main(arguments[1:])


def import_command_module(command: str):
    """Import the module behind a command, and it alone: torch and gensim take seconds to import."""
    module, _ = COMMANDS[command]
    return import_module(f"transformer_lab.{module}")


if __name__ == "__main__":
    main()
