"""Children: a program in the foreground, and the end of a whole group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

GRACE = 50
"""Hundredths of a second that the children of a cargo that was ended have to end too."""

SENT_BY_A_PROCESS = 0
"""`si_code` of a signal that kill(2) sent: SI_USER."""


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End a child that leads a process group, and all of the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=2)
        for _ in range(GRACE):
            # Cargo ends at once; a linker needs a moment to remove its temporary files.
            os.killpg(child.pid, 0)
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def run_program(command: Sequence[str], folder: Path, variables: Mapping[str, str], watch: Callable[[bytes], None] | None = None) -> int:
    """Run a program in the foreground and return its exit status, negative for a death by signal.

    A signal that someone sends to oxide alone is passed on. What the terminal sends, Ctrl-C, reaches the program by itself, and only the
    program decides what it means. `watch` is given each line of its stderr, which is shown as it is without.
    """
    child = subprocess.Popen(command, cwd=folder, env=variables, stderr=None if watch is None else subprocess.PIPE)
    watching = threading.Thread(target=pass_on, args=(child.stderr, watch)) if watch is not None else None
    if watching is not None:
        watching.start()
    watched = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        while child.poll() is None:
            caught = signal.sigwaitinfo(watched)
            if caught.si_signo != signal.SIGCHLD and caught.si_code == SENT_BY_A_PROCESS:
                child.send_signal(caught.si_signo)
    finally:
        if child.poll() is None:
            child.kill()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if watching is not None:
            watching.join()
    return child.wait()


def pass_on(stream: IO[bytes], watch: Callable[[bytes], None]) -> None:
    """Write a child's lines to stderr as they come, and give each to `watch`."""
    with stream:
        for line in stream:
            watch(line)
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
