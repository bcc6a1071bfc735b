import io
from types import SimpleNamespace

import pytest

from ecoc.utils.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    clock = SimpleNamespace(now=50.0)
    monkeypatch.setattr("ecoc.utils.progress.time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


@pytest.fixture
def terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("ecoc.utils.progress.sys", SimpleNamespace(stderr=terminal))
    return terminal


def test_nothing_is_drawn_in_the_first_two_seconds(clock, terminal):
    with Progress("working") as bar:
        for _ in range(19):
            clock.now += 0.1
            bar.update(0.5)
    assert terminal.getvalue() == ""


def test_then_a_line_that_is_taken_away_in_the_end(clock, terminal):
    with Progress("working") as bar:
        clock.now += 3
        bar.update(0.25, "objective 7")
        line = terminal.getvalue()
        assert line.startswith("\rworking ")
        assert " 25%  9 s left  objective 7" in line
        assert line.count("━") == 8
        assert line.count("╌") == 22
    assert terminal.getvalue() == line + "\r" + " " * (len(line) - 1) + "\r"


def test_it_is_drawn_ten_times_a_second_at_most(clock, terminal):
    with Progress("working") as bar:
        clock.now += 3
        for _ in range(100):
            clock.now += 0.01
            bar.update(0.5)
        assert 5 <= terminal.getvalue().count("working") <= 11


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock, terminal):
    with Progress("working") as bar:
        for note in ("a long note", "short"):
            clock.now += 3
            bar.update(0.5, note)
        first, second = terminal.getvalue().split("\r")[1:]
        assert len(second) == len(first)


def test_a_narrow_terminal_has_room_for_it(clock, terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    with Progress("working") as bar:
        clock.now += 3
        bar.update(0.5, "a note")
    assert max(map(len, terminal.getvalue().split("\r"))) == 39


@pytest.mark.parametrize("share", [0.0, 1.0, 1.5, -0.5])
def test_any_share_can_be_drawn(clock, terminal, share):
    with Progress("working") as bar:
        clock.now += 3
        bar.update(share)
    line = terminal.getvalue()
    assert line.count("━") + line.count("╌") == 30
    assert line.count("━") == (30 if share >= 1 else 0)


@pytest.mark.parametrize("stderr", [io.StringIO(), None], ids=["file", "none"])
def test_it_is_silent_where_there_is_no_terminal(clock, monkeypatch, capsys, stderr):
    monkeypatch.setattr("ecoc.utils.progress.sys", SimpleNamespace(stderr=stderr))
    with Progress("working") as bar:
        clock.now += 3
        bar.update(0.5)
    assert stderr is None or stderr.getvalue() == ""
    assert capsys.readouterr().out == ""


def test_it_can_be_turned_off(clock, terminal):
    with Progress("working", enabled=False) as bar:
        clock.now += 3
        bar.update(0.5)
    assert terminal.getvalue() == ""


def test_an_error_goes_through_and_the_line_away(clock, terminal):
    def work():
        with Progress("working") as bar:
            clock.now += 3
            bar.update(0.5)
            raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        work()
    assert "━" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


def test_a_notebook_is_drawn_in_as_well(clock, monkeypatch):
    cell = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr("ecoc.utils.progress.sys", SimpleNamespace(stderr=cell))
    with Progress("working") as bar:
        clock.now += 3
        bar.update(0.5)
        assert "50%" in cell.getvalue()
