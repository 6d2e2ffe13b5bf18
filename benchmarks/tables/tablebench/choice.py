"""Which methods were asked for: peers by name, nomu's methods through the tool, variants of those."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import tomllib

from tablebench.methods import PEERS
from tablebench.methods.tool import Variant

# nomu's methods that `--methods` knows without being told
OWN = {
    "nomu": Variant("nomu"),
    "nomu_deep_ensemble": Variant("nomu_deep_ensemble", ["--method", "deep_ensemble"]),
    "nomu_gp": Variant("nomu_gp", ["--method", "gp"]),
    "nomu_mc_dropout": Variant("nomu_mc_dropout", ["--method", "mc_dropout"]),
}


def read_variants(path: Path | None, words: list[str]) -> dict[str, Variant]:
    """Variants by name: [NAME] with `fit` and `predict` in a TOML file, and NAME=ARGUMENTS for `fit` as words."""
    found = dict(OWN)
    if path is not None:
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[f"nomu:{name}"] = Variant(f"nomu:{name}", entry.get("fit", []), entry.get("predict", []))
    for word in words:
        name, _, arguments = word.partition("=")
        found[f"nomu:{name}"] = Variant(f"nomu:{name}", arguments.split())
    return found


def tool_version(program: Path, label: str) -> str:
    """`label`, or the tool's version and the beginning of its checksum, so that another build is another key."""
    if label:
        return label
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return f"nomu-{said[-1]}-{hashlib.sha256(program.read_bytes()).hexdigest()[:8]}"


def versions(names: list[str], variants: dict[str, Variant], program: Path | None, label: str) -> dict[str, str]:
    """The version of each method that can be run; the others are named aloud and left out."""
    found: dict[str, str] = {}
    for name in names:
        if name in variants:
            if program is None:
                print(f"{name}: skipped, --tool does not name the program")
            else:
                found[name] = tool_version(program, label)
        elif name in PEERS:
            version = PEERS[name]().version()
            if version is None:
                print(f"{name}: skipped, the package {PEERS[name].package} is not installed")
            else:
                found[name] = version
        else:
            raise SystemExit(f"unknown method {name}; known are {', '.join([*variants, *PEERS])}")
    return found
