"""Shared by all tests: where the golden vectors are, and how hard hypothesis tries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Tests are about the installed wheel; `python -m pytest` would put the source tree before it.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parents[1]]

settings.register_profile("tepal", deadline=None, max_examples=200, print_blob=True)
settings.load_profile("tepal")


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of golden vectors of format version 1."""
    return Path(__file__).parents[2] / "tests" / "vectors" / "v1"
