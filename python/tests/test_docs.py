"""Every public thing is documented, every example runs, and the stubs say what the module says."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tepal
from tepal import _native, errors, explain


def documented() -> Iterator[tuple[str, object]]:
    for name in tepal.__all__:
        thing = getattr(tepal, name)
        if inspect.isclass(thing) or callable(thing):
            yield name, thing
        if inspect.isclass(thing) and thing.__module__ == "tepal":
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(thing, member)


THINGS = dict(documented())


@pytest.mark.parametrize("name", THINGS)
def test_documented(name: str) -> None:
    text = inspect.getdoc(THINGS[name]) or ""
    assert len(text) > 20, f"{name} has no docstring"
    assert "Ok::" not in text
    if callable(THINGS[name]) and not inspect.isclass(THINGS[name]):
        assert ">>> " in text, f"{name} has no example"


@pytest.mark.parametrize("name", [*THINGS, "tepal"])
def test_examples_run(name: str) -> None:
    text = inspect.getdoc(THINGS.get(name, tepal)) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    failures, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert not failures


def test_every_native_name_is_exported_or_private() -> None:
    public = {name for name in _native.__all__ if not name.startswith("_")}
    assert public <= set(tepal.__all__)
    assert set(errors.__all__) <= set(tepal.__all__)
    assert set(tepal.__all__) <= public | set(errors.__all__) | {"Explanation", "LevelFacts", "__version__", "backend"}
    assert explain.Explanation is tepal.Explanation
    assert tepal.backend == "native"
    assert tepal.__version__.count(".") == 2


def test_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "mypy.stubtest", "tepal._native"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_importing_is_cheap() -> None:
    code = (
        "import sys, tepal; print([m for m in ('numpy', 'pickle', 'asyncio', 'typing_extensions') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
