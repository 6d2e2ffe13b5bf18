"""What `nomu bench --scaling` measures, which takes its time.

Usage: test_scaling.py PATH_TO_NOMU [unittest arguments]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NOMU = ""


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([NOMU, *arguments], capture_output=True, text=True, timeout=300)


class Scaling(unittest.TestCase):
    def test_beside_peers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            peers = Path(folder) / "it's peers"
            peers.mkdir()
            arguments = ("bench", "--scaling", "--only", "R1", "--threads", "1", "--peers", str(peers))
            result = run(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--peers: there is no jax_peer.py in", result.stderr)
            # One that measures and one that cannot: its arguments say what is asked of it.
            (peers / "jax_peer.py").write_text(
                "import json, sys\n"
                "a = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
                "assert 'members = 200' in open(a['--case']).read()\n"
                "print('a warning')\n"
                "print(json.dumps({'us_per_network_step': 100.0 + int(a['--threads'])}))\n"
            )
            (peers / "torch_peer.py").write_text("import a_library_that_nobody_has\n")
            python = ("--python", sys.executable)
            text = run(*arguments, *python).stdout
            self.assertRegex(text, r"R1, a step of one of 200 \[us\] +[0-9.]+")
            self.assertRegex(text, r"JAX \[us\] +101")
            self.assertIn("skipped: ModuleNotFoundError: No module named 'a_library_that_nobody_has'", text)
            lines = [json.loads(line) for line in run(*arguments, *python, "--json").stdout.splitlines()]
        self.assertEqual([line.get("peer") for line in lines], [None, "JAX", "PyTorch"])
        self.assertEqual({line["row"] for line in lines}, {"R1, a step of one of 200"})
        self.assertEqual(lines[1]["time"], 101.0)
        self.assertIn("skipped", lines[2])

    def test_measures_more_than_steps(self) -> None:
        for row in ("Gaussian process", "bounds", "DIRECT"):
            result = run("bench", "--scaling", "--only", row, "--threads", "1", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            line = json.loads(result.stdout)
            self.assertIn(row, line["row"])
            self.assertEqual((line["unit"], line["threads"]), ("s", 1))
            self.assertGreater(line["time"], 0)


if __name__ == "__main__":
    NOMU = sys.argv.pop(1)
    unittest.main(verbosity=1)
