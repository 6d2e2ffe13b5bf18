"""Runs ONNX files for the tests: with ONNX Runtime where it is installed, else operator by operator in NumPy.

The NumPy way knows the operators that nomu writes and those of plain networks. Debian's python3-onnx is enough for it.
"""

import math

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
except ImportError:
    onnx = None

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

MISSING = "" if onnx or onnxruntime else "neither onnxruntime nor python3-onnx is installed"


def attributes(node) -> dict:
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def number_type(code):
    newer = getattr(onnx.helper, "tensor_dtype_to_np_dtype", None)
    return newer(code) if newer else onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[code]


def top_k(a, k, axis):
    order = np.argsort(-a, axis=axis, kind="stable")
    return np.take(np.take_along_axis(a, order, axis), np.arange(k), axis)


def gemm(node, a, b, c=0.0):
    return (a @ (b.T if node.get("transB") else b)) * node.get("alpha", 1.0) + np.float32(node.get("beta", 1.0)) * c


def reshape(a, shape):
    return a.reshape([a.shape[i] if extent == 0 else int(extent) for i, extent in enumerate(shape)])


def squares(a, kernel, strides, pads, fill):
    """Every square of images [n][c][h][w] under a window, [n][c][h'][w'][kernel][kernel]."""
    a = np.pad(a, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    windows = np.lib.stride_tricks.sliding_window_view(a, tuple(kernel), (2, 3))
    return windows[:, :, :: strides[0], :: strides[1]]


def conv(node, a, w, b):
    groups = node.get("group", 1)
    windows = squares(a, node["kernel_shape"], node["strides"], node.get("pads", [0] * 4), 0)
    parts = zip(np.split(windows, groups, 1), np.split(w, groups, 0))
    out = [np.einsum("nchwij,fcij->nfhw", part, own) for part, own in parts]
    return np.concatenate(out, 1) + b[:, None, None]


def pool(name):
    return lambda n, a: getattr(np, name)(squares(a, n["kernel_shape"], n["strides"], n.get("pads", [0] * 4), 0), axis=(4, 5))


OPERATORS = {
    "Abs": lambda n, a: np.abs(a), "Add": lambda n, a, b: a + b, "Div": lambda n, a, b: a / b, "Exp": lambda n, a: np.exp(a),
    "Identity": lambda n, a: a, "Log": lambda n, a: np.log(a), "MatMul": lambda n, a, b: np.matmul(a, b),
    "Max": lambda n, a, b: np.maximum(a, b), "Min": lambda n, a, b: np.minimum(a, b), "Mul": lambda n, a, b: a * b,
    "Neg": lambda n, a: -a, "Pow": lambda n, a, b: np.power(a, b), "Relu": lambda n, a: np.maximum(a, 0), "Sign": lambda n, a: np.sign(a),
    "Softplus": lambda n, a: np.logaddexp(a, np.zeros_like(a)), "Sqrt": lambda n, a: np.sqrt(a),
    "Sub": lambda n, a, b: a - b, "Tanh": lambda n, a: np.tanh(a), "Gemm": gemm,
    "Greater": lambda n, a, b: a > b, "IsNaN": lambda n, a: np.isnan(a), "Where": lambda n, c, a, b: np.where(c, a, b),
    "Erf": lambda n, a: np.vectorize(math.erf)(a).astype(a.dtype),
    "Cast": lambda n, a: a.astype(number_type(n["to"])),
    "Concat": lambda n, *parts: np.concatenate(parts, n["axis"]),
    "Constant": lambda n: numpy_helper.to_array(n["value"]),
    "Gather": lambda n, a, i: np.take(a, i, n.get("axis", 0)),
    "ReduceSum": lambda n, a, axes=None: a.sum(tuple(n["axes"] if axes is None else axes), keepdims=True),
    "Reshape": lambda n, a, shape: reshape(a, shape), "Shape": lambda n, a: np.array(a.shape),
    "Transpose": lambda n, a: a.transpose(n["perm"]), "Conv": conv, "MaxPool": pool("max"), "AveragePool": pool("mean"),
    "GlobalAveragePool": lambda n, a: a.mean((2, 3), keepdims=True), "Flatten": lambda n, a: a.reshape(len(a), -1),
    "TopK": lambda n, a, k=None: top_k(a, n["k"] if k is None else int(k[0]), n["axis"]),
    "BatchNormalization": lambda n, a, s, b, m, v: (a - m) / np.sqrt(v + np.float32(n.get("epsilon", 1e-5))) * s + b,
}


def numpy_outputs(path, feeds: dict) -> dict:
    model = onnx.load(str(path))
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer} | feeds
    for node in model.graph.node:
        inputs = [values[name] for name in node.input]
        values[node.output[0]] = OPERATORS[node.op_type](attributes(node), *inputs)
    return {output.name: values[output.name] for output in model.graph.output}


def outputs(path, feeds: dict) -> dict:
    """All outputs by name for float32 inputs by name."""
    if onnxruntime is None:
        return numpy_outputs(path, feeds)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))
