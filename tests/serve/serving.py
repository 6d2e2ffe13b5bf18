"""A `nomu serve` of its own for each test, and requests to it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

TOOL = ""

# Names are what users write; these would run as a script if anybody forgot to escape them.
HOSTILE = "<script>document.title='owned'</script>"
SPACE = f"""
[[variables]]
name = "x"
low = 0
high = 1

[[variables]]
name = "{HOSTILE}"
unit = "<i>mm</i>"
low = 1
high = 100
scale = "log"

[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "<b>lu</b>"]

[study]
method = "random"
"""


def built_without_server() -> bool:
    text = subprocess.run([TOOL, "serve", "no such study"], capture_output=True, text=True, timeout=60, check=False).stderr
    return "without cpp-httplib" in text


class Served:
    """A running server."""

    def __init__(self, study: Path | str, *options: str, environment: dict[str, str] | None = None):
        self.process = subprocess.Popen([TOOL, "serve", str(study), "--port", "0", "--json", *options], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.stderr.read())
        self.url = json.loads(line)["url"]

    def request(self, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Status and text; a body makes it a POST."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if data is not None:
            named.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.url.rstrip("/") + path, data=data, headers=named)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def get(self, path: str) -> object:
        status, text = self.request(path)
        if status != 200:
            raise AssertionError(f"{path}: {status} {text}")
        return json.loads(text)

    def post(self, path: str, body: object) -> object:
        status, text = self.request(path, body)
        if status != 200:
            raise AssertionError(f"{path}: {status} {text}")
        return json.loads(text)

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=60)


class ServeCase(unittest.TestCase):
    """Makes studies in a folder of the test, and ends its servers."""

    def setUp(self) -> None:
        if built_without_server():
            self.skipTest("nomu was built without cpp-httplib (Debian: libcpp-httplib-dev)")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.study = self.folder / "yield & <i>more.db"

    def new(self, *settings: str, space: str = SPACE) -> None:
        (self.folder / "space.toml").write_text(space)
        words = [word for setting in settings for word in ("--set", setting)]
        made = subprocess.run([TOOL, "optimize", "new", self.study, "--space", self.folder / "space.toml", *words],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)

    def serve(self, *options: str, **more: object) -> Served:
        served = Served(self.study, *options, **more)
        self.addCleanup(served.stop)
        return served

    def optimize(self, *words: object) -> subprocess.CompletedProcess:
        return subprocess.run([TOOL, "optimize", *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
