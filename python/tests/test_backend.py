"""The line that `pip install .` shows on a terminal while it compiles."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

BACKEND = Path(__file__).resolve().parents[1] / "backend"
PROGRAM = """
import subprocess, sys
import nomu_backend
with nomu_backend.progress():
    subprocess.run(["printf", "configuring\\n[1/4] Building a\\n[4/4] Linking b\\n"], check=True)
print("done")
"""

pytest.importorskip("scikit_build_core")


def environment():
    return {**os.environ, "PYTHONPATH": str(BACKEND)}


def test_a_terminal_sees_how_far_it_is(tmp_path):
    output = tmp_path / "output"  # where pip would keep what the backend prints
    process, terminal = pty.fork()
    if process == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 1)
        os.execve(sys.executable, [sys.executable, "-c", PROGRAM], environment())
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # the end of a terminal
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, shown
    os.close(terminal)
    assert b"nomu: compiled 25 % (1 of 4)" in shown
    assert b"nomu: compiled 100 % (4 of 4)" in shown
    assert b"configuring" not in shown
    assert output.read_text().splitlines() == ["configuring", "[1/4] Building a", "[4/4] Linking b", "done"]


def test_without_a_terminal_nothing_changes():
    result = subprocess.run([sys.executable, "-c", PROGRAM], env=environment(), capture_output=True, text=True,
                            start_new_session=True, check=True)
    assert result.stdout.splitlines() == ["configuring", "[1/4] Building a", "[4/4] Linking b", "done"]
    assert result.stderr == ""


def test_all_hooks_of_a_backend_are_there():
    code = "import nomu_backend as b; print(*sorted(n for n in dir(b) if n.startswith(('build_', 'get_requires_', 'prepare_'))))"
    result = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    for hook in ("build_wheel", "build_sdist", "build_editable", "get_requires_for_build_wheel", "prepare_metadata_for_build_wheel"):
        assert hook in result.stdout.split()
