"""Does the studio answer while you look? Seconds from an edit to its certificate, measured in the page."""

import threading
from typing import Any

import numpy as np

from benchmarks._report import Goal, Results, Table
from ecoc.inspection.studio.server import StudioServer
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject
from tests.browser import CHROMIUM, browser

SIZES = {10: None, 50: 0.5, 136: None, 200: 2.0, 300: None}  # classes, and the goal in seconds
EDITS = ("Apart", "Ignore", "Clear", "Undo", "Redo", "Apart")
ROOT = "document.querySelector('.ecoc-studio')"
BUTTON = "[...document.querySelectorAll('.ecoc-studio button')].find(b => b.textContent === {!r})"
# While the server computes, the page counts its own frames: a page that is busy shows none.
LONGEST_FRAME = """new Promise(done => { let last = performance.now(), longest = 0; const end = last + 1500;
  const next = now => { longest = Math.max(longest, now - last); last = now;
    now < end ? requestAnimationFrame(next) : done(longest / 1000); }; requestAnimationFrame(next); })"""


def run(quick: bool) -> Results:
    """Edit a pair again and again, and read what the page has measured."""
    if CHROMIUM is None:
        yield "This needs Chromium: apt install chromium"
        return
    rows: list[tuple[Any, ...]] = []
    for k, goal in SIZES.items():
        if quick and k > 10:
            break
        drafts, finals, stall = edit(subject(k), 2 if quick else len(EDITS))
        rows.append((k, np.median(drafts), max(drafts), np.median(finals), stall))
        if goal is not None:
            text = f"{np.median(drafts):.2f} s"
            yield Goal(f"edit to certificate below {goal} s with {k} classes", text, float(np.median(drafts)) < goal)
    columns = ("classes", "certificate, s", "slowest, s", "longer search, s", "longest frame, s")
    yield Table(
        "Seconds from an edit to the certificate that the page shows, and to that of the longer search", columns, rows
    )


def subject(k: int) -> Subject:
    """Return synthetic classes."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(k, 12))
    return Subject.from_samples(
        np.repeat(means, 10, axis=0) + rng.normal(size=(10 * k, 12)), np.repeat(np.arange(k), 10)
    )


def edit(about: Subject, n_edits: int) -> tuple[list[float], list[float], float]:
    """Return the seconds of each edit, and the longest time for which the page stood still during one."""
    server = StudioServer(Session(about), "benchmark")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    drafts, finals = [], []
    try:
        with browser().tab() as tab:
            tab.open(server.address)
            tab.until(f"{ROOT} && {ROOT}.dataset.stage === 'final'", 300)
            for text in EDITS[:n_edits]:
                before = tab.run(f"Number({ROOT}.dataset.answers)")
                tab.run(BUTTON.format(text) + ".click()")
                tab.until(f"Number({ROOT}.dataset.answers) > {before}", 300)
                drafts.append(float(tab.run(f"{ROOT}.dataset.draftSeconds")))
                finals.append(float(tab.run(f"{ROOT}.dataset.finalSeconds")))
            tab.run(BUTTON.format("Apart") + ".click()")
            stall = float(tab.run(LONGEST_FRAME))
    finally:
        server.shutdown()
        server.server_close()
    return drafts, finals, stall
