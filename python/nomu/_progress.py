"""A progress bar for long work: on standard error if it is a terminal, as a widget in a notebook."""

import sys
import time

_QUIET_SECONDS = 0.5  # shorter work gets no bar
_WIDTH = 30


def _in_notebook():
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def _remaining(done, total, seconds):
    return seconds * (total - done) / done if done > 0 else 0.0


class ProgressBar:
    """Callable with (stage, done, total, seconds, loss); ``close`` removes what it drew."""

    def __init__(self, show=None):
        """``show``: True, False, or None for a bar only in a terminal or notebook."""
        notebook = _in_notebook()
        visible = (notebook or sys.stderr.isatty()) if show is None else bool(show)
        self._draw = (self._draw_widget if notebook else self._draw_line) if visible else None
        self._begin = time.monotonic()
        self._display = None
        self._drawn = False

    @property
    def callback(self):
        """What the library should call; None: no bar is shown."""
        return None if self._draw is None else self

    def __call__(self, stage, done, total, seconds, loss):
        if self._draw is not None and time.monotonic() - self._begin >= _QUIET_SECONDS:
            self._draw(stage, done, total, seconds, loss)
            self._drawn = True

    def _draw_line(self, stage, done, total, seconds, loss):
        share = done / total if total > 0 else 0.0
        bar = "=" * int(share * _WIDTH)
        left = _remaining(done, total, seconds)
        sys.stderr.write(f"\r{stage} [{bar:<{_WIDTH}}] {done}/{total}  loss {loss:.3g}  {left:.0f} s left \x1b[K")
        sys.stderr.flush()

    def _draw_widget(self, stage, done, total, seconds, loss):
        from IPython.display import HTML, display

        left = _remaining(done, total, seconds)
        page = HTML(
            f"{stage} <progress value='{done}' max='{max(total, 1)}'></progress> "
            f"{done}/{total}, loss {loss:.3g}, {left:.0f} s left"
        )
        if self._display is None:
            self._display = display(page, display_id=True)
        else:
            self._display.update(page)

    def close(self):
        if not self._drawn:
            return
        if self._display is not None:
            from IPython.display import HTML

            self._display.update(HTML(""))
        else:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
