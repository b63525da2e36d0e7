"""`python -m precheck --cache DIR --out DIR`: from the npm package to the files that the server hands out.

A second run finds the files intact and says so in well under a second; `--force` builds anew. On a terminal there is a
progress bar; elsewhere one line a step.
"""

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from . import build, publish, source
from .normalise import Refused, handle
from .owners import read_owners


def is_handle(name: str) -> bool:
    try:
        handle(name)
    except Refused:
        return False
    return True


def make(cache: Path, out: Path, console: Console) -> dict:
    """Fetches, reads, builds, measures and publishes; gives the manifest."""
    with console.status(f"fetching {source.PACKAGE}@{source.VERSION} (47 MB, once)"):
        tarball = source.fetch(cache)
    columns = [
        TextColumn("{task.description:<22}"),
        BarColumn(36, complete_style="magenta", finished_style="green"),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        reading = progress.add_task("reading the owners", total=None, unit="MB")

        def read(done: int, total: int) -> None:
            progress.update(reading, total=total // 1_000_000)
            progress.advance(reading, done / 1_000_000)

        started = time.perf_counter()
        names = read_owners(tarball, read)
        read_seconds = time.perf_counter() - started
        progress.update(reading, completed=progress.tasks[reading].total)

        adding = progress.add_task("building the filter", total=len(names), unit="names")
        started = time.perf_counter()
        names_filter = build.build_filter(names, lambda done: progress.advance(adding, done))
        build_seconds = time.perf_counter() - started

        asking = progress.add_task("asking it strangers", total=build.STRANGERS, unit="names")
        known = frozenset(names)
        rate = build.measure(names_filter, known)
        progress.update(asking, completed=build.STRANGERS)
    facts = {
        "readSeconds": round(read_seconds, 3),
        "buildSeconds": round(build_seconds, 4),
        "measured": {"strangers": build.STRANGERS, "rate": rate},
        "notHandles": sum(not is_handle(name) for name in names),
        "examples": build.examples(names_filter, known),
    }
    return publish.publish(out, names_filter, names, facts)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="precheck", description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="where downloads are kept")
    parser.add_argument("--out", type=Path, default=Path(".cache/data"), help="where the files go")
    parser.add_argument("--force", action="store_true", help="build even if the files are there")
    options = parser.parse_args(arguments)
    console = Console(highlight=False)
    manifest = None if options.force else publish.current(options.out)
    cached = manifest is not None
    if manifest is None:
        try:
            manifest = make(options.cache, options.out, console)
        except source.SourceError as error:
            Console(stderr=True, highlight=False).print(f"precheck: {error}", markup=False)
            return 1
    bits = 8 * manifest["bytes"] / manifest["names"]
    console.print(
        f"{manifest['names']:,} names in {manifest['bytes']:,} bytes ({bits:.2f} bits a name); "
        + (
            f"built earlier, {manifest['builtAt']}"
            if cached
            else f"read in {manifest['readSeconds']:.1f} s, filter built in {manifest['buildSeconds']:.3f} s; "
            f"{100 * manifest['measured']['rate']:.3f} % of {build.STRANGERS:,} strangers taken for members"
        ),
        soft_wrap=True,
    )
    console.print(f"{options.out / manifest['file']}", markup=False, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
