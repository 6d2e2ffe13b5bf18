#!/usr/bin/env python3
"""Trains small networks with PyTorch and scikit-learn, exports them, and writes what ONNX Runtime makes of some rows.

The files go to tests/golden/onnx; tests need none of these packages. The targets are sin(3 a) + b^2 / 2 on [-1, 1]^2,
for images the share of their bright pixels.

usage: make_onnx_golden.py    (needs torch, onnxscript, scikit-learn, skl2onnx, onnx, onnxruntime)
"""

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

FOLDER = Path(__file__).resolve().parent / "onnx"
ROWS, GOLDEN_ROWS = 200, 12


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(2, 12), nn.Linear(12, 12), nn.Linear(12, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.first(x))
        return self.last(h + torch.relu(self.inner(h)))


def mlp(activation: type[nn.Module], *more: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(2, 12), *more, activation(), nn.Linear(12, 10), activation(), nn.Linear(10, 1))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3, stride=2),
        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))


def trained(net: nn.Module, x: np.ndarray, y: np.ndarray) -> nn.Module:
    optimiser = torch.optim.Adam(net.parameters(), 0.01)
    inputs, targets = torch.from_numpy(x), torch.from_numpy(y[:, None])
    for _ in range(400):
        optimiser.zero_grad()
        ((net(inputs) - targets) ** 2).mean().backward()
        optimiser.step()
    return net.eval()


def export(net: nn.Module, name: str, x: np.ndarray, opset: int, batch: bool = True) -> None:
    axes = {"x": {0: "rows"}, "y": {0: "rows"}} if batch else None
    torch.onnx.export(net, (torch.from_numpy(x[:1]),), str(FOLDER / f"{name}.onnx"), input_names=["x"],
                      output_names=["y"], dynamic_axes=axes, opset_version=opset, dynamo=False)


def write_golden(name: str, x: np.ndarray) -> None:
    session = onnxruntime.InferenceSession(str(FOLDER / f"{name}.onnx"))
    flat = x.reshape(len(x), -1)
    out = session.run(None, {session.get_inputs()[0].name: x})[0].reshape(-1)
    lines = [",".join([*(f"x{j + 1}" for j in range(flat.shape[1])), "y"])]
    lines += [",".join(f"{float(v):.9g}" for v in [*row, value]) for row, value in zip(flat, out)]
    (FOLDER / f"{name}.csv").write_text("\n".join(lines) + "\n")


def two_outputs() -> onnx.ModelProto:
    """A graph by hand that no exporter would make: one hidden layer, two outputs."""
    weights = [helper.make_tensor("w", TensorProto.FLOAT, [2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "first"), helper.make_node("Relu", ["h"], ["a"], "second")]
    info = lambda name, cols: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", cols])
    graph = helper.make_graph(nodes, "two_outputs", [info("x", 2)], [info("h", 3), info("a", 3)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


def main() -> None:
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    torch.manual_seed(1)
    draw = np.random.default_rng(1)
    x = draw.uniform(-1, 1, (ROWS, 2)).astype(np.float32)
    y = np.sin(3 * x[:, 0]) + x[:, 1] ** 2 / 2
    nets = {"torch_relu": (mlp(nn.ReLU), 17), "torch_tanh": (mlp(nn.Tanh), 9), "torch_gelu": (mlp(nn.GELU), 13),
            "torch_batch_norm": (mlp(nn.ReLU, nn.BatchNorm1d(12)), 11), "torch_residual": (Residual(), 18),
            "torch_silu": (mlp(nn.SiLU), 13), "torch_layer_norm": (mlp(nn.ELU, nn.LayerNorm(12)), 17)}
    for name, (net, opset) in nets.items():
        export(trained(net, x, y.astype(np.float32)), name, x, opset)
        write_golden(name, x[:GOLDEN_ROWS])
    export(nets["torch_relu"][0], "torch_one_row", x, 17, batch=False)

    images = draw.uniform(0, 1, (ROWS, 1, 8, 8)).astype(np.float32) ** 2
    export(trained(cnn(), images, (images > 0.5).mean((1, 2, 3)).astype(np.float32)), "torch_cnn", images, 13)
    write_golden("torch_cnn", images[:GOLDEN_ROWS])

    perceptron = MLPRegressor(hidden_layer_sizes=(12, 8), max_iter=600, random_state=1).fit(x, y)
    scaled = make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(10,), activation="tanh", max_iter=600, random_state=1)).fit(x, y)
    trees = GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=1).fit(x, y)
    for name, model in {"sklearn_mlp": perceptron, "sklearn_pipeline": scaled, "sklearn_trees": trees}.items():
        (FOLDER / f"{name}.onnx").write_bytes(to_onnx(model, x[:1], target_opset={"": 15, "ai.onnx.ml": 3}).SerializeToString())
        write_golden(name, x[:GOLDEN_ROWS])
    (FOLDER / "two_outputs.onnx").write_bytes(two_outputs().SerializeToString())


if __name__ == "__main__":
    main()
