import numpy as np
import pytest

import nomu
from nomu import calibrate, metrics

random = np.random.default_rng(1)
MEAN = random.normal(size=200)
SIGMA = random.uniform(0.5, 2.0, 200)
Y = MEAN + SIGMA * random.normal(size=200)


def test_metrics_are_what_their_formulas_say():
    z = (Y - MEAN) / SIGMA
    assert np.allclose(metrics.standardised_residuals(MEAN, SIGMA, Y), z)
    plain = np.mean(np.log(SIGMA) + z**2 / 2)
    assert metrics.nll(MEAN, SIGMA, Y, constant=False) == pytest.approx(plain)
    assert metrics.nll(MEAN, SIGMA, Y) == pytest.approx(plain + np.log(2 * np.pi) / 2)
    value, c = metrics.minimal_nll(MEAN, SIGMA, Y)
    assert c == pytest.approx(np.sqrt(np.mean(z**2)))
    assert value == pytest.approx(metrics.nll(MEAN, c * SIGMA, Y))
    assert metrics.rmse(MEAN, Y) == pytest.approx(np.sqrt(np.mean((MEAN - Y) ** 2)))
    assert metrics.sharpness(SIGMA) == pytest.approx(np.sqrt(np.mean(SIGMA**2)))
    assert metrics.auc(MEAN, SIGMA, Y) == pytest.approx(2 * np.mean(SIGMA) * np.mean(np.abs(z)))


def test_bounds_are_measured():
    lower, upper = MEAN - SIGMA, MEAN + SIGMA
    assert metrics.coverage(lower, upper, Y) == pytest.approx(np.mean((lower <= Y) & (Y <= upper)))
    assert metrics.mean_width(lower, upper) == pytest.approx(2 * np.mean(SIGMA))
    missed = np.maximum(lower - Y, 0) + np.maximum(Y - upper, 0)
    expected = np.mean(upper - lower + 2 / 0.1 * missed)
    assert metrics.interval_score(lower, upper, Y, 0.9) == pytest.approx(expected)


def test_curve_and_summary():
    c, covered, width = metrics.mw_cp_curve(MEAN, SIGMA, Y)
    assert c[0] == 0 and covered[-1] == 1 and np.all(np.diff(width) >= 0)
    area = np.sum(np.diff(covered) * (width[1:] + width[:-1]) / 2)
    assert area == pytest.approx(metrics.auc(MEAN, SIGMA, Y))
    all_of_it = metrics.measure(MEAN, SIGMA, Y)
    assert all_of_it["rows"] == 200 and all_of_it["crps"] == metrics.crps(MEAN, SIGMA, Y)
    assert all_of_it["miscalibration_area"] == metrics.miscalibration_area(MEAN, SIGMA, Y) < 0.1


def test_lists_and_columns_are_welcome():
    assert metrics.rmse([1, 2], [[1], [4]]) == pytest.approx(np.sqrt(2))


def test_wrong_numbers_are_refused():
    with pytest.raises(nomu.DataError):
        metrics.nll(MEAN, SIGMA, Y[:3])
    with pytest.raises(nomu.DataError):
        metrics.nll(MEAN, 0 * SIGMA, Y)
    with pytest.raises(nomu.DataError):
        metrics.rmse([], [])
    with pytest.raises(nomu.ConfigError, match="level"):
        metrics.interval_score(MEAN, MEAN, Y, 1.5)
    with pytest.raises(ValueError, match="one dimension"):
        metrics.rmse(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="could not convert"):
        metrics.rmse(["a"], [1.0])


def test_conformal_bounds_cover():
    half = slice(0, 100)
    calibration = calibrate.conformal(calibrate.Predicted(MEAN[half], SIGMA[half]), Y[half])
    lower, upper = calibration.bounds(calibrate.Predicted(MEAN[100:], SIGMA[100:]), 0.9)
    assert 0.8 < metrics.coverage(lower, upper, Y[100:]) <= 1
    assert calibration.kind == "conformal" and calibration.rows == 100
    assert calibration.guaranteed_coverage(0.9) == pytest.approx(0.9)
    assert "covered" in calibration.guarantee(0.9)
    with pytest.raises(nomu.ConfigError, match="0.999"):
        calibration.bounds(calibrate.Predicted(MEAN, SIGMA), 0.999)


def test_every_calibration():
    predicted = calibrate.Predicted(MEAN, SIGMA)
    assert repr(predicted).startswith(f"<nomu.Predicted {len(MEAN)} predicted rows, the first ")
    noisy = calibrate.Predicted(MEAN, SIGMA, sigma_noise=SIGMA / 2)
    assert calibrate.nll(predicted, Y).c_model == pytest.approx(metrics.minimal_nll(MEAN, SIGMA, Y)[1])
    assert calibrate.separate(noisy, Y).kind == "separate"
    assert calibrate.coverage(predicted, Y, 0.9).level == 0.9
    assert calibrate.width(predicted, 3.0).c_model == pytest.approx(1.5 / np.mean(SIGMA))
    assert calibrate.isotonic(predicted, Y).kind == "isotonic"
    assert np.allclose(calibrate.nll(predicted, Y).sigma(predicted), calibrate.nll(predicted, Y).c_model * SIGMA)


def test_wrong_calibrations_are_refused():
    predicted = calibrate.Predicted(MEAN, SIGMA)
    with pytest.raises(nomu.DataError):
        calibrate.nll(predicted, Y[:5])
    with pytest.raises(nomu.ConfigError):
        calibrate.separate(predicted, Y)
    with pytest.raises(TypeError, match="expected nomu.calibrate.Predicted.*got list"):
        calibrate.conformal([1.0, 2.0], Y)
    with pytest.raises(nomu.ConfigError):
        calibrate.width(predicted, -1.0)
    with pytest.raises(nomu.ConfigError):
        calibrate.width(predicted, 3.0).bounds(predicted, 0.9)
    with pytest.raises(nomu.ConfigError):
        calibrate.Calibration().bounds(predicted, 0.9)
