"""How are many attacks run? In processes side by side, each with its own seeds, and a log from which a run goes on."""

import json
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

from ecoc.utils.progress import Progress
from tests.attacks import get_attack

DEFECT = "DEFECT"
INTERRUPTED = 130  # exit code
MOST_MEMORY = 4 << 30  # bytes of address space beyond what the process has at its start
IN_PROCESS = ("model_files", "tables")  # the kinds whose files may ask for any amount of memory


def read_log(path):
    """Outcomes by seed; a line that was cut off by a kill is left out."""
    outcomes = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            seed, outcome = json.loads(line)
        except ValueError:
            continue
        outcomes[seed] = outcome
    return outcomes


def run(kind, path, count, seconds, part=0, parts=1):
    """Attack with the seeds below `count` that the log does not have yet, for at most so many seconds.

    With several parts, this is one of as many processes, and takes every `parts`-th seed. A line is written at once,
    so that the processes can write to the same log.
    """
    attack, done = get_attack(kind), read_log(path)
    start = time.monotonic()
    with path.open("ab", buffering=0) as log, Progress(kind, part == 0) as bar, limited_memory(kind):
        log.write(b"\n")  # ends a line that was cut off by a kill
        for seed in range(part, count, parts):
            if seed in done:
                continue
            if time.monotonic() - start > seconds:
                break
            log.write((json.dumps([seed, outcome_of(attack, seed)]) + "\n").encode())
            bar.update((seed + 1) / count, f"{seed + 1:,} of {count:,}")


def run_part(kind, path, count, seconds, part, parts, folder):
    """Run a part in a process of its own, with its files in a folder of the run."""
    tempfile.tempdir = folder
    try:
        run(kind, path, count, seconds, part, parts)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def run_parts(kind, path, count, seconds, parts, folder):
    """Run all parts side by side. An attack that ends its process is a defect, and the others go on after it."""
    start = time.monotonic()
    context = multiprocessing.get_context("spawn")
    waiting = list(range(parts))
    while waiting:
        left = seconds - (time.monotonic() - start)
        processes = {
            part: context.Process(target=run_part, args=(kind, path, count, left, part, parts, folder))
            for part in waiting
        }
        for process in processes.values():
            process.start()
        for process in processes.values():
            process.join()
        if any(process.exitcode == INTERRUPTED for process in processes.values()):
            raise KeyboardInterrupt
        if failed := [process.exitcode for process in processes.values() if process.exitcode > 0]:
            raise RuntimeError(f"A process could not attack, and ended with exit code {failed[0]}.")
        waiting = [part for part, process in processes.items() if process.exitcode]  # ended by a signal
        done = read_log(path)
        with path.open("ab", buffering=0) as log:
            for part in waiting:
                seed = next(seed for seed in range(part, count, parts) if seed not in done)
                told = f"{DEFECT}: the process was ended by signal {-processes[part].exitcode}"
                log.write((json.dumps([seed, told]) + "\n").encode())


def scratch_root():
    """A place in memory if there is one with room; files that are written and deleted there take no time."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > MOST_MEMORY
    return memory if has_room else None


def outcome_of(attack, seed):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return attack(seed)
    except Exception as error:
        print(f"seed {seed}:", file=sys.stderr)
        traceback.print_exc()
        return f"{DEFECT}: {type(error).__name__}: {str(error)[:300]}"


@contextmanager
def limited_memory(kind):
    """Let no attack on files take all memory of the machine."""
    if kind not in IN_PROCESS or not Path("/proc/self/statm").exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
