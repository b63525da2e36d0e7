"""The comparison itself: what differs is noticed, and only the oracle may differ in the last digits."""

from pathlib import Path

import pytest
import run
from plan import ANY, Task


def failures(name, got, expected, **task):
    adapter = run.Adapter.__new__(run.Adapter)
    adapter.name, adapter.failures = name, []
    steps = [{"op": "ask"}] * max(len(got), len(expected))
    run.compare(adapter, Task("t", steps, **task), got, expected)
    return adapter.failures


FACTS = {"capacity": 5, "fill_ratio": 0.25, "estimated_count": 7, "saturation": 1.4}


@pytest.mark.parametrize("name", ["rust", "oracle"])
def test_differences_are_noticed(name):
    assert not failures(name, ["01", None, FACTS], ["01", ANY, FACTS])
    assert failures(name, ["01"], ["11"])
    assert failures(name, ["01"], ["01", "1"]) and failures(name, ["01", "1"], ["01"])
    assert failures(name, [{"error": "ERR_MAGIC"}], [{"error": "ERR_TRUNCATED"}])
    assert failures(name, [FACTS | {"capacity": 6}], [FACTS])
    assert failures(name, [FACTS | {"fill_ratio": 0.2501}], [FACTS])
    assert failures(name, [None, {"error": "ERR_MAGIC"}], [None], last_only=True)


def test_only_the_oracle_may_round():
    near = FACTS | {"fill_ratio": 0.25 + 1e-15, "estimated_count": 8}
    assert failures("rust", [near], [FACTS])
    assert not failures("oracle", [near], [FACTS])


def test_a_liar_is_caught(tmp_path, capsys, monkeypatch):
    """A whole run in which one adapter flips one bit of one file that it writes."""
    oracle = Path(__file__).parent.parent / "oracle"
    liar = tmp_path / "liar.py"
    liar.write_text(
        f"import sys; sys.path.insert(0, {str(oracle)!r})\n"
        "import json, pathlib, script\n"
        "scripts = json.loads(pathlib.Path(sys.argv[1]).read_text())\n"
        "pathlib.Path(sys.argv[2]).write_text(json.dumps([script.run(steps) for steps in scripts]))\n"
        "for path in pathlib.Path(sys.argv[2]).parent.glob('line-100.tepal'):\n"
        "    data = bytearray(path.read_bytes()); data[150] ^= 1; path.write_bytes(data)\n"
    )
    short = {
        "golden": run.plan.golden()[:6],
        "hashes": [],
        "sizes": [],
        "malformed": [],
        "mistakes": [],
        "adventures": [],
    }
    for name, tasks in short.items():
        monkeypatch.setattr(run.plan, name, lambda tasks=tasks: tasks)
    for name in ("golden", "foreign", "mistakes", "adventures"):
        monkeypatch.setattr(run.scalable_plan, name, list)
    assert run.main([f"oracle=python3 {oracle}/script.py", f"other=python3 {liar}"]) is True
    assert "line-100.tepal" in capsys.readouterr().out
    assert run.main([f"oracle=python3 {oracle}/script.py"]) is False
