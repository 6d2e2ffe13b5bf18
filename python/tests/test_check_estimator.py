"""scikit-learn's own judge of estimators, with nothing excepted."""

import pytest
from conftest import QUICK, quick
from sklearn.utils.estimator_checks import check_estimator

import nomu


def passes(estimator):
    results = check_estimator(estimator, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failed, failed
    return results


@pytest.mark.parametrize("name", QUICK)
def test_check_estimator(name):
    assert len(passes(quick(name))) > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_check_estimator_of_the_defaults(name):
    passes(getattr(nomu, name)())
