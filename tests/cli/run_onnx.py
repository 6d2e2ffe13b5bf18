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


def top_k(a, k, axis):
    order = np.argsort(-a, axis=axis, kind="stable")
    return np.take(np.take_along_axis(a, order, axis), np.arange(k), axis)


def gemm(node, a, b, c=0.0):
    return (a @ (b.T if node.get("transB") else b)) * node.get("alpha", 1.0) + np.float32(node.get("beta", 1.0)) * c


def reshape(a, shape):
    return a.reshape([a.shape[i] if extent == 0 else int(extent) for i, extent in enumerate(shape)])


OPERATORS = {
    "Abs": lambda n, a: np.abs(a), "Add": lambda n, a, b: a + b, "Div": lambda n, a, b: a / b, "Exp": lambda n, a: np.exp(a),
    "Identity": lambda n, a: a, "Log": lambda n, a: np.log(a), "MatMul": lambda n, a, b: np.matmul(a, b),
    "Max": lambda n, a, b: np.maximum(a, b), "Min": lambda n, a, b: np.minimum(a, b), "Mul": lambda n, a, b: a * b,
    "Neg": lambda n, a: -a, "Relu": lambda n, a: np.maximum(a, 0), "Sign": lambda n, a: np.sign(a),
    "Softplus": lambda n, a: np.logaddexp(a, np.zeros_like(a)), "Sqrt": lambda n, a: np.sqrt(a),
    "Sub": lambda n, a, b: a - b, "Tanh": lambda n, a: np.tanh(a), "Gemm": gemm,
    "Erf": lambda n, a: np.vectorize(math.erf)(a).astype(a.dtype),
    "Cast": lambda n, a: a.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[n["to"]]),
    "Concat": lambda n, *parts: np.concatenate(parts, n["axis"]),
    "Constant": lambda n: numpy_helper.to_array(n["value"]),
    "Gather": lambda n, a, i: np.take(a, i, n.get("axis", 0)),
    "ReduceSum": lambda n, a, axes=None: a.sum(tuple(n["axes"] if axes is None else axes), keepdims=True),
    "Reshape": lambda n, a, shape: reshape(a, shape), "Shape": lambda n, a: np.array(a.shape),
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
