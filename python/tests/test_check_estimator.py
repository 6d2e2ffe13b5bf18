"""scikit-learn's own judge of estimators, with one exception."""

import pytest
from conftest import QUICK, quick
from sklearn.utils.estimator_checks import check_estimator

import nomu

# scikit-learn excepts its own estimators from this one where rows are drawn at random, as for folds and batches here.
EXCEPTED = {"check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is drawn once, two rows are drawn twice"}


def passes(estimator):
    results = check_estimator(estimator, on_fail=None, expected_failed_checks=EXCEPTED)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped", "xfail")}
    assert not failed, failed
    return results


@pytest.mark.parametrize("name", QUICK)
def test_check_estimator(name):
    assert len(passes(quick(name))) > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_check_estimator_of_the_defaults(name):
    passes(getattr(nomu, name)())
