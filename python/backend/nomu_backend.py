"""The build backend of the package: scikit-build-core, and a line on the terminal that says how far the compiler is.

pip keeps what a backend prints to itself, so without that line a `pip install .` of minutes shows nothing.
"""

import contextlib
import os
import re
import threading

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403  the hooks that need no line, and those that only some versions have

STEP = re.compile(rb"^\[(\d+)/(\d+)\] ")  # ninja's


def watch(lines, onward, terminal):
    """Passes lines on to where they would have gone, and those that count steps to the terminal."""
    shown = b""
    for line in lines:
        onward.write(line)
        onward.flush()
        if step := STEP.match(line):
            shown = b"\r  nomu: compiled %d %% (%s of %s) " % (100 * int(step[1]) // int(step[2]), step[1], step[2])
            terminal.write(shown)
    if shown:
        terminal.write(b"\r" + b" " * len(shown) + b"\r")


@contextlib.contextmanager
def progress():
    """While it lasts, standard output is watched, also that of other programs; nothing happens without a terminal."""
    with contextlib.ExitStack() as stack:
        terminal = None
        with contextlib.suppress(OSError):
            terminal = stack.enter_context(open("/dev/tty", "wb", buffering=0))
        if terminal is None:
            yield
            return
        onward = stack.enter_context(os.fdopen(os.dup(1), "wb"))
        read_end, write_end = os.pipe()
        lines = stack.enter_context(os.fdopen(read_end, "rb"))
        watcher = threading.Thread(target=watch, args=(lines, onward, terminal))
        watcher.start()
        os.dup2(write_end, 1)
        os.close(write_end)
        try:
            yield
        finally:
            os.dup2(onward.fileno(), 1)  # closes the last writing end, so that the watcher comes to its end
            watcher.join()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with progress():
        return _build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with progress():
        return _build.build_editable(wheel_directory, config_settings, metadata_directory)
