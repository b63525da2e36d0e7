"""The rule, on the table that the JavaScript twin is tested on too, and on every code point there is."""

import json
import re
from pathlib import Path

import pytest

from precheck.normalise import RULE, Refused, fold, handle

TABLE = json.loads((Path(__file__).parents[2] / "normalise" / "ascii-lower-v1.json").read_text())


def test_the_table_is_this_rule():
    assert TABLE["rule"] == RULE
    assert len(TABLE["cases"]) > 60


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: ascii(case["text"])[:40])
def test_case(case):
    assert fold(case["text"]) == case["name"]
    if "refused" not in case:
        assert handle(case["text"]) == case["name"]
        return
    with pytest.raises(Refused) as refusal:
        handle(case["text"])
    assert refusal.value.reason == case["refused"]
    assert refusal.value.character == case.get("character")


def passes(text: str) -> bool:
    try:
        handle(text)
    except Refused:
        return False
    return True


def test_every_code_point():
    """No code point but A to Z changes, none but a handle's own passes: nothing for languages to differ on."""
    for code in range(0x110000):
        character = chr(code)
        expected = character.lower() if "A" <= character <= "Z" else character
        assert fold(f"x{character}x") == f"x{expected}x"
        assert passes(f"x{character}x") == bool(re.fullmatch("[A-Za-z0-9-]", character))
