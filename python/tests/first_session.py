"""What somebody does first after `pip install .`: fit, plot, optimise, attach. Run by scripts/python_test --wheel."""

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

import nomu  # noqa: E402

X = np.linspace(-1, 1, 12).reshape(-1, 1)
y = np.sin(3 * X[:, 0])
model = nomu.NOMURegressor(epochs=300, ensemble=1).fit(X, y)
mean, std = model.predict([[0.05], [3.0]], return_std=True)
assert std[0] < std[1], "surer inside the data than far outside"
nomu.plot.bands(model, X, y).figure.savefig("/dev/null", format="png")
best = nomu.minimize(lambda x: (x - 0.3) ** 2, {"x": (-1, 1)}, evaluations=12)
assert best.value < 0.01
network = Path(__file__).resolve().parents[2] / "tests" / "golden" / "onnx" / "torch_relu.onnx"
points = np.random.default_rng(1).uniform(-1, 1, (40, 2))
bounds = nomu.attach(network, points, np.sin(3 * points[:, 0]), settings={"train.epochs": 50})
assert len(bounds.to_bytes()) > network.stat().st_size
engine = model.model_.engine
print(f"fitted with {engine.provider} on {engine.isa}; minimum {best.value:.2g} at {best.params}")
