"""The package and the command line are one library: same numbers, same files. NOMU_TOOL names the tool."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import quick

import nomu

TOOL = os.environ.get("NOMU_TOOL", "")
pytestmark = pytest.mark.skipif(not os.path.exists(TOOL), reason="NOMU_TOOL names no command-line tool")


def tool(*arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_fit(rows, tmp_path):
    X, y = rows
    table = tmp_path / "rows.csv"
    lines = ["x1,x2,y", *(f"{float(a)!r},{float(b)!r},{float(c)!r}" for (a, b), c in zip(X, y, strict=True))]
    table.write_text("\n".join(lines) + "\n")
    model = quick("NOMURegressor").fit(X, y)
    settings = ("train.epochs=60", "ensemble=1", "mean_net.hidden=[32]", "sigma_net.hidden=[32]", "calibration.folds=3")
    chosen = [word for setting in settings for word in ("--set", setting)]
    tool("fit", table, "--target", "y", "-o", tmp_path / "m.nomu", "--seed", 1, *chosen)
    loaded = nomu.load_model(tmp_path / "m.nomu")
    if loaded.engine.provider != model.model_.engine.provider:
        pytest.skip("the tool multiplies matrices with another library")
    assert np.array_equal(loaded.predict(X).mean, model.predict(X))
    assert np.array_equal(loaded.bounds(X, 0.9), model.predict_interval(X, 0.9))
    model.save(tmp_path / "p.nomu")
    shown = json.loads(tool("show", tmp_path / "p.nomu", "--json"))
    assert shown == json.loads(tool("show", tmp_path / "m.nomu", "--json"))


def test_the_same_study(tmp_path):
    space = tmp_path / "space.toml"
    space.write_text('[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "random"\n')
    tool("optimize", "new", tmp_path / "s.db", "--space", space)
    study = nomu.Study.open(tmp_path / "s.db")
    trial = study.ask()
    tool("optimize", "tell", tmp_path / "s.db", trial.number, 0.25)
    assert study.best.value == 0.25
    assert json.loads(tool("optimize", "status", tmp_path / "s.db", "--json"))["finished"] == 1
