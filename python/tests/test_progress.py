import io
import sys
import types

from nomu._progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def late(bar):
    bar._begin -= 10  # as if the work had begun long ago
    return bar


def test_a_terminal_gets_a_line_that_goes_away(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with late(ProgressBar()) as bar:
        bar.callback("train", 5, 10, 2.0, 0.125)
        assert "train [===============               ] 5/10  loss 0.125  2 s left" in sys.stderr.getvalue()
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_short_work_and_files_see_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with ProgressBar() as bar:
        bar.callback("train", 5, 10, 0.1, 0.5)
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert ProgressBar().callback is None
    assert ProgressBar(show=True).callback is not None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert ProgressBar(show=False).callback is None


def test_a_notebook_gets_a_widget(monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=shown.append)
    display = types.ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda page, display_id: shown.append(page) or handle
    shell = types.SimpleNamespace(config={"IPKernelApp": {}})
    python = types.ModuleType("IPython")
    python.get_ipython = lambda: shell
    python.display = display
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with late(ProgressBar()) as bar:
        bar.callback("train", 5, 10, 2.0, 0.125)
        bar.callback("train", 6, 10, 2.0, 0.125)
    assert "<progress value='5' max='10'>" in shown[0] and "6/10" in shown[1] and shown[2] == ""
