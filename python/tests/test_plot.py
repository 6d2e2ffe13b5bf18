import numpy as np
import pytest
from conftest import quick

import nomu

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def drawn(ax):
    ax.figure.canvas.draw()
    assert ax.get_xlabel() and ax.get_ylabel()
    return ax


def test_bands_and_map(rows):
    X, y = rows
    one = quick("GPRegressor").fit(X[:, :1], y)
    ax = drawn(nomu.plot.bands(one, X[:, :1], y))
    assert len(ax.collections) == 3 and len(ax.lines) == 2
    drawn(nomu.plot.bands(one, low=-2, high=2, level=0.8))
    two = quick("GPRegressor").fit(X, y)
    ax = drawn(nomu.plot.sigma_map(two, X, points=20))
    assert nomu.plot.sigma_map(two, low=[-1, -1], high=[1, 1], points=5, ax=ax) is ax
    with pytest.raises(ValueError, match="give X"):
        nomu.plot.bands(one)
    with pytest.raises(ValueError, match="need one input, but X has shape \\(40, 2\\)"):
        nomu.plot.bands(two, X, y)
    with pytest.raises(ValueError, match="give X"):
        nomu.plot.sigma_map(two)


def test_names_of_tables(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    table = pandas.DataFrame({"dose": X[:, 0]})
    model = quick("GPRegressor").fit(table, y)
    assert nomu.plot.bands(model, table, y).get_xlabel() == "dose"


def test_reliability_and_curves():
    random = np.random.default_rng(0)
    mean, sigma = random.normal(size=80), np.ones(80)
    y = mean + random.normal(size=80)
    ax = drawn(nomu.plot.reliability(mean, sigma, y, label="a"))
    nomu.plot.reliability(mean, 2 * sigma, y, label="b", ax=ax)
    assert len(ax.lines) == 3 and len(ax.get_legend().texts) == 2
    ax = drawn(nomu.plot.mw_cp(mean, sigma, y))
    assert ax.lines[0].get_xdata()[-1] == 1
    with pytest.raises(nomu.DataError):
        nomu.plot.mw_cp(mean, sigma, y[:3])


def test_regret_of_whatever_has_values():
    best = nomu.minimize(lambda x: x**2, {"x": (-1, 1)}, evaluations=6, method="random")
    distances = drawn(nomu.plot.regret(best, 0.0, label="random")).lines[0].get_ydata()
    assert np.all(np.diff(distances) <= 0) and distances[-1] == best.value
    study = nomu.Study({"x": (0, 1)}, method="random")
    study.tell(study.ask(), 3.0)
    study.fail(study.ask())
    assert list(nomu.plot.regret(study, 2.0).lines[0].get_ydata()) == [1, 1]
    assert list(nomu.plot.regret([1, 4, 2], 5.0, direction="maximize").lines[0].get_ydata()) == [4, 1, 1]
