import subprocess
import sys
from pathlib import Path

import pytest

import nomu

PACKAGE = Path(nomu.__file__).parent


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_is_light():
    heavy = ["sklearn", "matplotlib", "scipy", "optuna", "pandas"]
    assert run(f"import sys, nomu; print([m for m in {heavy} if m in sys.modules])").strip() == "[]"


def test_everything_that_is_named_is_there():
    for name in nomu.__all__:
        if name == "optuna":
            pytest.importorskip("optuna")
        assert getattr(nomu, name) is not None
    assert set(nomu.__all__) <= set(dir(nomu))
    with pytest.raises(AttributeError, match="no attribute 'NOMU'"):
        _ = nomu.NOMU


def test_types_are_part_of_the_package():
    assert (PACKAGE / "py.typed").exists()
    stub = (PACKAGE / "_nomu.pyi").read_text()
    for name in ("class Model", "class Study", "def fit", "class Calibration", "class OnnxNetwork"):
        assert name in stub


def test_engines_and_methods():
    assert {engine.name for engine in nomu.list_engines()} >= {"cpu", "reference"}
    assert "nomu" in nomu.method_names()
    assert nomu.__version__.count(".") == 2


def test_docstrings_say_shapes():
    for name in ("NOMURegressor", "GPRegressor"):
        assert "calibration : str" in getattr(nomu, name).__doc__
        assert "(n, d)" in getattr(nomu, name).fit.__doc__


def test_help_lists_every_setting():
    for name in ("NOMURegressor", "GPRegressor", "MCDropoutRegressor"):
        regressor = getattr(nomu, name)
        rows = nomu._nomu.method_settings(regressor._method) + nomu._nomu.fit_settings()
        assert len(rows) > 15
        for setting, values, allowed, doc in rows:
            assert values.keys() >= {"auto"} or values.keys() == {"default"}
            assert f"{setting} : {allowed}\n" in regressor.__doc__
            assert doc[1:] in regressor.__doc__
    for setting, _, allowed, _ in nomu._nomu.study_settings():
        assert f"{setting} : {allowed}\n" in nomu.Study.__doc__


def test_settings_of_an_unknown_method_are_refused():
    with pytest.raises(nomu.ConfigError, match="nomu"):
        nomu._nomu.method_settings("nom")
