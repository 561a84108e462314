"""What a page depends on: enough that nothing is stale, and no more than it uses."""

import textwrap

import pytest

from tools.dependencies import Dependencies

FILES = {
    "press/__init__.py": """
        from .plots.bars import bars
        from .plots.dots import dots
        from .style import new as fresh
        from . import tools
        """,
    "press/plots/__init__.py": "",
    "press/plots/bars.py": """
        from ..kit import INK
        def bars():  # how it is drawn
            from press.late import ready
            return INK, ready
        """,
    "press/plots/dots.py": "def dots(): return 1\n",
    "press/kit.py": "INK = 'black'\n",
    "press/late.py": "ready = 1\n",
    "press/style.py": "def new(): return 1\n",
    "press/tools.py": "STEP = 1\n",
    "press/alone.py": "from .plots import dots\nWIDTH = 1\n",
    "lazy/__init__.py": """
        from .plain import easy
        def __getattr__(name):
            if name == "heavy":
                from . import batches
                return batches.heavy
            raise AttributeError(name)
        """,
    "lazy/plain.py": "easy = 1\n",
    "lazy/batches.py": "from .deep import heavy\n",
    "lazy/deep.py": "heavy = 1\n",
    "acts/__init__.py": "from . import patch\nfrom .calm import calm\n",
    "acts/calm.py": "calm = 1\n",
    "acts/patch.py": "import numpy\nnumpy.answer = 1\n",
    "shown/__init__.py": "from .layers import Layer, Base, Mixed, Plain, helper\n",
    "shown/layers.py": """
        from .root import Root
        class Base:
            def f(self): return 1  # in the base
        class Layer(Base):
            def g(self): return 2  # in the layer
        class Plain:
            def h(self):
                return 3  # in the plain one
                # at its end
        # before the helper
        class Mixed(dict, Base):
            def k(self): return 5  # in the mixed one
        def helper():
            return 4  # at the end of the file
        """,
    "shown/root.py": "class Root: pass\n",
    "transformer_press/__init__.py": "",
    "transformer_press/page.py": """
        from .times import measured
        def source(x): pass
        def glue(x): pass
        """,
    "transformer_press/times/__init__.py": """
        def load(name): return 1
        def measured(name, measure): return load(name)
        def note(): return 1
        """,
    "transformer_press/times/heads.json": "1",
    "transformer_press/times/masks.json": "2",
    "transformer_lab/__init__.py": "",
    "transformer_lab/run.py": "from . import records\ndef read(n): return records.load(n)\n",
    "transformer_lab/write.py": "from . import records\ndef write(): records.write(1)\n",
    "transformer_lab/records/__init__.py": """
        def load(name): return 1
        def names(): return 1
        def write(x): return 1
        """,
    "transformer_lab/records/one.json": "1",
    "transformer_lab/records/one.hypotheses.txt": "1",
    "transformer_lab/records/two.json": "2",
}


class Source:
    def __init__(self, folder):
        self.folder = folder
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")

    def digest(self, cell):
        return Dependencies(self.folder).digest([cell])

    def depends(self, cell, change=lambda text: text + "\nADDED = 1\n"):
        """Return the files of which a change changes what the cell's page depends on."""
        before, found = self.digest(cell), set()
        for name, text in FILES.items():
            text = textwrap.dedent(text)
            self.write(name, change(text))
            if self.digest(cell) != before:
                found.add(name.removesuffix(".py"))
            self.write(name, text)
        assert self.digest(cell) == before
        return found


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


BARS = {"press/plots/bars", "press/kit", "press/late"}
PRESS = {name.removesuffix(".py") for name in FILES if name.startswith("press/")}
LAZY = {name.removesuffix(".py") for name in FILES if name.startswith("lazy/")}


@pytest.mark.parametrize(
    "cell, wanted",
    [
        ("1 + 1", set()),
        ("import numpy as np\nnp.ones(3)", set()),
        ("from .press import bars\nbars()", set()),  # beside it: none of the packages
        ("from .press import bars\nfrom press import tools\ntools", {"press/tools"}),
        # A name leads to the module that defines it, and on to all that this one uses.
        ("import press\npress.bars()", BARS),
        ("import press as p\np.bars()", BARS),
        ("from press import bars\nbars()", BARS),
        ("from press.plots import bars\nbars.bars()", BARS),
        ("import press.plots.bars\npress.plots.bars.bars()", BARS),
        ("def f():\n    from press import bars\n    return bars()", BARS),
        ("import press\npress.fresh()", {"press/style"}),
        ("import press\npress.tools.STEP", {"press/tools"}),
        ("import press\npress.alone.WIDTH", {"press/alone", "press/plots/dots"}),
        ("%matplotlib inline\nimport press\npress.dots()", {"press/plots/dots"}),
        # What is not resolved is everything.
        ("import press\nfor name in press.__all__:\n    print(name)", PRESS),
        ("import press\ngetattr(press, 'bars')()", PRESS),
        ("import press\nf(press)", PRESS),
        ("from press import *\nbars()", PRESS),
        ("import press\npress.unknown", PRESS),
        (
            "import press\npress.plots",
            {"press/plots/__init__", *BARS, "press/plots/dots"},
        ),
        # Lazily, and by names in strings.
        ("import lazy\nlazy.easy", {"lazy/plain"}),
        ("import lazy\nlazy.heavy", {"lazy/__init__", "lazy/batches", "lazy/deep"}),
        ("!python -m press.tools", {"press/tools"}),
        ("run(['-m', 'lazy.deep'])", {"lazy/deep"}),
        # Whoever imports what acts at import depends on it.
        ("from acts import calm\ncalm", {"acts/calm", "acts/patch"}),
        ("import acts.calm", {"acts/__init__", "acts/calm", "acts/patch"}),
    ],
)
def test_a_page_depends_on_the_code_that_it_uses(source, cell, wanted):
    changed = source.depends(cell)
    # A definition added to an __init__ without "__getattr__" in use changes nothing.
    assert changed - {"lazy/__init__"} == wanted - {"lazy/__init__"}


@pytest.mark.parametrize(
    "cell", ["import importlib\nimportlib.import_module(name)", "exec(text)", "1 +"]
)
def test_what_cannot_be_followed_depends_on_everything(source, cell):
    names = {name.removesuffix(".py") for name in FILES if name.endswith(".py")}
    assert source.depends(cell) >= names


def test_another_way_through_the_package_is_a_change(source):
    before = source.digest("import press\npress.dots()")
    text = FILES["press/__init__.py"].replace(
        "plots.dots import dots", "kit import INK as dots"
    )
    source.write("press/__init__.py", text)
    assert source.digest("import press\npress.dots()") != before


def test_a_package_that_cannot_be_read_concerns_all_who_import_it(source):
    before = source.digest("import press\npress.dots()")
    source.write("press/plots/bars.py", "def bars(:\n")
    assert source.digest("import press\npress.dots()") != before
