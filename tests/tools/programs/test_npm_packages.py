"""What is unpacked once is complete, is the version that was asked for, and has no byte changed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tools.programs import npm_packages


@pytest.fixture
def packages(tmp_path, monkeypatch):
    monkeypatch.setattr(npm_packages, "NODE_MODULES_FOLDER", tmp_path / "node_modules")
    return tmp_path / "node_modules"


@pytest.fixture
def fill():
    """Write two files; ``fill.calls`` counts how often."""

    def write(part):
        write.calls += 1
        (part / "lib").mkdir()
        (part / "program").write_text("program", "utf-8")
        (part / "lib" / "library").write_text("library", "utf-8")

    write.calls = 0
    return write


def test_it_is_filled_once_and_stands_where_it_was_said_to_stand(packages, fill):
    folder = npm_packages.unpack_once("browser", ["1"], fill)
    assert npm_packages.unpack_once("browser", ["1"], fill) == folder
    assert fill.calls == 1 and packages in folder.parents
    assert (folder / "lib" / "library").read_text("utf-8") == "library"


def test_another_version_takes_the_place_of_the_old_one(packages, fill):
    old = npm_packages.unpack_once("browser", ["1"], fill)
    other = npm_packages.unpack_once("fonts", ["1"], fill)
    new = npm_packages.unpack_once("browser", ["2"], fill)
    assert new != old and not old.exists() and other.exists()


def test_what_is_damaged_is_made_anew(packages, fill):
    folder = npm_packages.unpack_once("browser", ["1"], fill)
    damages = [
        lambda: (folder / "program").write_text(
            "Program", "utf-8"
        ),  # as long as before
        lambda: (folder / "program").write_text("prog", "utf-8"),
        lambda: (folder / "lib" / "library").unlink(),
        lambda: (folder / npm_packages.MANIFEST_FILE).write_text("{", "utf-8"),
        lambda: (folder / npm_packages.MANIFEST_FILE).unlink(),
    ]
    for damage in damages:
        damage()
        assert npm_packages.unpack_once("browser", ["1"], fill) == folder
        assert (folder / "program").read_text("utf-8") == "program"
        assert (folder / "lib" / "library").read_text("utf-8") == "library"
    assert fill.calls == 1 + len(damages)


def test_files_that_its_users_add_are_no_damage(packages, fill):
    folder = npm_packages.unpack_once("fonts", ["1"], fill)
    (folder / "cache").write_text("fontconfig's", "utf-8")
    npm_packages.unpack_once("fonts", ["1"], fill)
    assert fill.calls == 1


def test_a_crash_leaves_nothing_behind(packages, fill):
    def crash(part):
        fill(part)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        npm_packages.unpack_once("browser", ["1"], crash)
    assert [path.name for path in (packages / ".cache").iterdir()] == ["browser.lock"]
    assert (npm_packages.unpack_once("browser", ["1"], fill) / "program").exists()


def test_of_many_who_ask_at_once_one_fills_it(packages, fill):
    with ThreadPoolExecutor(4) as pool:
        folders = pool.map(
            lambda _: npm_packages.unpack_once("browser", ["1"], fill), range(8)
        )
    assert len(set(folders)) == 1 and fill.calls == 1


def test_the_version_is_that_of_the_installed_package(packages):
    assert npm_packages.installed_package_version("@scope/package") is None
    (packages / "@scope" / "package").mkdir(parents=True)
    about = packages / "@scope" / "package" / "package.json"
    about.write_text('{"version": "1.2.3"}', "utf-8")
    assert npm_packages.installed_package_version("@scope/package") == "1.2.3"
    about.write_text('{"vers', "utf-8")
    assert npm_packages.installed_package_version("@scope/package") is None
