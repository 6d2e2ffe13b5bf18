#!/usr/bin/env python3
"""Exports networks of every kind that `nomu attach` reads, the way people export them, with today's exporters.

Without arguments the files go to tests/golden/onnx, with what ONNX Runtime makes of some rows; tests need none of these
packages. tests/cli/test_onnx_exports.py exports them anew where the packages are installed. The targets are
sin(3 a) + b^2 / 2 on [-1, 1]^2, with a third column of whole numbers from 0 to 3.

usage: make_onnx_exports.py [FOLDER]    (needs torch, onnxscript, scikit-learn, skl2onnx, onnx, onnxruntime)
"""

import logging
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from torch import nn

FOLDER = Path(__file__).resolve().parent / "onnx"
ROWS, GOLDEN_ROWS, WIDTH = 200, 12, 24


class Net(nn.Module):
    """Two dense layers; each kind below changes what happens before, between or after them."""

    def __init__(self, inputs: int = 3, hidden: int = WIDTH) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(inputs, WIDTH), nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.first(x)))


class Centred(Net):  # PyTorch calls the value `mean`
    def forward(self, x):
        return super().forward(x - x.mean(1, keepdim=True))


class Sliced(Net):
    def forward(self, x):
        return self.last(torch.relu(self.first(x[:, 1:]))) + 0.5 * x[:, :1]


class Gated(Net):  # exported as Split
    def forward(self, x):
        value, gate = self.first(x).chunk(2, 1)
        return self.last(value * torch.sigmoid(gate))


class Shared(Net):  # one learned vector for all rows, exported as Expand
    def __init__(self) -> None:
        super().__init__(5)
        self.shared = nn.Parameter(torch.randn(1, 2))

    def forward(self, x):
        return super().forward(torch.cat([x, self.shared.expand(x.shape[0], -1)], 1))


class Padded(Net):  # exported as ConstantOfShape by the older exporter, as Expand by the newer
    def __init__(self) -> None:
        super().__init__(5)

    def forward(self, x):
        return super().forward(torch.cat([x, torch.zeros(x.shape[0], 2)], 1))


class Chosen(Net):  # exported as Greater and Where
    def forward(self, x):
        h = self.first(x)
        return self.last(torch.where(h > 0, h, 0.1 * h * h))


class Embedded(Net):
    def __init__(self) -> None:
        super().__init__(5)
        self.table = nn.Embedding(4, 3)

    def forward(self, numbers, codes):
        return super().forward(torch.cat([numbers, self.table(codes)], 1))


class TwoInputs(Net):
    def forward(self, left, right):
        return super().forward(torch.cat([left, right], 1))


class TwoOutputs(Net):
    def __init__(self) -> None:
        super().__init__()
        self.spread = nn.Linear(WIDTH, 1)

    def forward(self, x):
        h = torch.relu(self.first(x))
        return self.last(h), self.spread(h).exp()


def stack(activation: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(3, WIDTH), activation, nn.Linear(WIDTH, WIDTH), activation, nn.Linear(WIDTH, 1))


def data() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    x = np.column_stack([draw.uniform(-1, 1, (ROWS, 2)), draw.integers(0, 4, ROWS)]).astype(np.float32)
    return x, (np.sin(3 * x[:, 0]) + x[:, 1] ** 2 / 2).astype(np.float32)


def parts_of(x: np.ndarray, net: nn.Module) -> tuple[torch.Tensor, ...]:
    if isinstance(net, Embedded):
        return torch.from_numpy(x[:, :2]), torch.from_numpy(x[:, 2].astype(np.int64))
    if isinstance(net, TwoInputs):
        return torch.from_numpy(x[:, :1].copy()), torch.from_numpy(x[:, 1:].copy())
    return (torch.from_numpy(x),)


def trained(net: nn.Module, x: np.ndarray, y: np.ndarray) -> nn.Module:
    optimiser = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(200):
        optimiser.zero_grad()
        out = net(*parts_of(x, net))
        mean = out[0] if isinstance(out, tuple) else out
        ((mean - torch.from_numpy(y[:, None])) ** 2).mean().backward()
        optimiser.step()
    return net.eval()


TORCH = {  # name: (network, names of the inputs, names of the outputs, exporter)
    "torch_external": (stack(nn.ReLU()), ["x"], None, "new"),
    "torch_value_mean": (Centred(), ["x"], None, "new"),
    "torch_output_lower": (Net(), ["x"], ["lower"], "old"),
    "torch_slice": (Sliced(2), ["x"], None, "new"),
    "torch_split": (Gated(hidden=WIDTH // 2), ["x"], None, "new"),
    "torch_expand": (Shared(), ["x"], None, "new"),
    "torch_expand_old": (Shared(), ["x"], None, "old"),
    "torch_zeros_old": (Padded(), ["x"], None, "old"),
    "torch_where": (Chosen(), ["x"], None, "new"),
    "torch_celu": (stack(nn.CELU(0.7)), ["x"], None, "new"),
    "torch_hardswish": (stack(nn.Hardswish()), ["x"], None, "new"),
    "torch_tanh_new": (stack(nn.Tanh()), ["x"], None, "new"),
    "torch_embedding": (Embedded(), ["numbers", "codes"], None, "new"),
    "torch_two_inputs": (TwoInputs(), ["left", "right"], None, "new"),
    "torch_two_outputs": (TwoOutputs(), ["x"], ["mean", "sigma_model"], "new"),
}


def scikit_learn(x: np.ndarray, y: np.ndarray) -> dict:
    """Pipelines, as (model, types of the inputs or None for one array)."""
    import pandas

    def network(*steps):
        return make_pipeline(*steps, MLPRegressor(hidden_layer_sizes=(WIDTH,), max_iter=300, random_state=1))

    def columns(numbers, codes):
        return ColumnTransformer([("n", StandardScaler(), numbers), ("c", OneHotEncoder(handle_unknown="ignore"), codes)])

    frame = pandas.DataFrame({"c": x[:, 2].astype(np.int64), "a": x[:, 0], "b": x[:, 1]})
    texts = frame.assign(c=[f"kind {int(v)}" for v in x[:, 2]])
    number = FloatTensorType([None, 1])
    made = {
        "sklearn_columns": (network(columns([0, 1], [2])).fit(x, y), None),
        "sklearn_imputed": (network(SimpleImputer()).fit(x, y), None),
        "sklearn_polynomial": (network(PolynomialFeatures(2)).fit(x, y), None),
        "sklearn_frame": (network(columns(["a", "b"], ["c"])).fit(frame, y), Int64TensorType([None, 1])),
        "sklearn_texts": (network(columns(["a", "b"], ["c"])).fit(texts, y), StringTensorType([None, 1])),
    }
    return {name: (model, kind and [("c", kind), ("a", number), ("b", number)]) for name, (model, kind) in made.items()}


def without_traces(path: Path) -> None:
    """Drops the notes about lines of source code that the exporter adds to every node."""
    model = onnx.load(path, load_external_data=False)
    for part in [*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output, model.graph, model]:
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    path.write_bytes(model.SerializeToString())
    weights = Path(f"{path}.data")
    if weights.exists() and not weights.stat().st_size:
        weights.unlink()


def export(folder: Path) -> None:
    """Writes all networks to the folder."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    x, y = data()
    for name, (net, inputs, outputs, exporter) in TORCH.items():
        path = folder / f"{name}.onnx"
        sample = tuple(part[:4] for part in parts_of(x, net))
        torch.onnx.export(trained(net, x, y), sample, str(path), input_names=inputs, output_names=outputs,
                          dynamic_axes={key: {0: "rows"} for key in inputs}, dynamo=exporter == "new", verbose=False)
        without_traces(path)
    for name, (model, types) in scikit_learn(x, y).items():
        made = to_onnx(model, initial_types=types) if types else to_onnx(model, x[:1])
        (folder / f"{name}.onnx").write_bytes(made.SerializeToString())


def feeds(session, x: np.ndarray) -> dict:
    """The columns of x as the inputs of the session read them; sklearn_frame has its columns in the order c, a, b."""
    first, made = 0, {}
    for given in session.get_inputs():
        size = given.shape[1] if len(given.shape) > 1 else 1
        part = x[:, first : first + size].astype(np.int64 if "int64" in given.type else np.float32)
        made[given.name] = part.reshape(-1) if len(given.shape) == 1 else part
        first += size
    return made


def write_golden(folder: Path, name: str, x: np.ndarray) -> None:
    session = onnxruntime.InferenceSession(str(folder / f"{name}.onnx"))
    x = x[:, [2, 0, 1]] if name == "sklearn_frame" else x
    out = session.run(None, feeds(session, x))[0].reshape(-1)
    names = ["c", "a", "b"] if name == "sklearn_frame" else ["a", "b", "c"]
    lines = [",".join([*names, "y"])]
    lines += [",".join(f"{float(v):.9g}" for v in [*row, value]) for row, value in zip(x, out)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    export(folder)
    x, _ = data()
    for name in [*TORCH, "sklearn_columns", "sklearn_imputed", "sklearn_polynomial", "sklearn_frame"]:
        write_golden(folder, name, x[:GOLDEN_ROWS])


if __name__ == "__main__":
    main()
