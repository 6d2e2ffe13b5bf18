"""nomu attach with graphs that no exporter writes: answers that are right, refusals that come early, costs with an end.

Usage: test_onnx_graphs.py PATH_TO_NOMU [unittest arguments]
"""

import time
import unittest

import own_data
import run_onnx
from own_data import WithFolder, run

try:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    helper = None

QUICK = ["--set", "train.epochs=20", "--set", "ensemble=1"]


def constant(name, values, kind="float32"):
    return numpy_helper.from_array(np.array(values, kind), name)


@unittest.skipIf(helper is None, "python3-onnx is not installed")
class Graphs(WithFolder):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        draw = np.random.default_rng(1)
        cls.x = draw.uniform(-1, 1, (100, 2)).astype(np.float32)
        cls.rows = cls.table("rows.csv", cls.x)
        cls.unseen = cls.table("unseen.csv", draw.uniform(-1, 1, (60, 2)))
        weights = draw.normal(size=(2, 8)).astype(np.float32), draw.normal(size=(8, 1)).astype(np.float32)
        cls.constants = [constant("w1", weights[0]), constant("w2", weights[1])]

    @classmethod
    def table(cls, name, x):
        rows = [f"{a:.9g},{b:.9g},{np.sin(3 * a) + b:.9g}" for a, b in x]
        return cls.write(name, "\n".join(["a,b,y", *rows]) + "\n")

    def graph(self, *front, constants=(), opset=13, ir=7, output="out", back=(), name="net", shape=True):
        """front turns x into h; then two dense layers make `out`, or `back` does."""
        nodes = [*front] or [helper.make_node("Identity", ["x"], ["h"])]
        dense = [helper.make_node("MatMul", ["h", "w1"], ["m"]), helper.make_node("Relu", ["m"], ["r"]),
                 helper.make_node("MatMul", ["r", "w2"], ["out"])]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])
        out = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", 1] if shape else None)
        graph = helper.make_graph([*nodes, *dense, *back], name, [x], [out], [*self.constants, *constants])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = ir
        path = self.folder / "net.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    def attach(self, path, *options):
        out, table = self.folder / "with.onnx", self.folder / "predicted.csv"
        made = run("attach", path, "--data", self.rows, "--target", "y", "-o", out, "--predict", self.rows,
                   "--predictions", table, *QUICK, *options)
        return made, out, table

    def check(self, path, *options) -> None:
        """nomu's mean is the runtime's, and the attached file's is the original's bit for bit."""
        made, out, table = self.attach(path, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        mean = np.array([float(line.split(",")[table.read_text().splitlines()[0].split(",").index("mean")])
                         for line in table.read_text().splitlines()[1:]])
        if run_onnx.onnxruntime is None:
            return
        (own,) = run_onnx.outputs(path, {"x": self.x}).values()
        np.testing.assert_allclose(mean, own.reshape(-1), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(run_onnx.outputs(out, {"x": self.x})["mean"], own)

    def refuse(self, path, *texts, options=()) -> None:
        self.tearDown()
        begin = time.monotonic()
        made, out, _ = self.attach(path, *options)
        self.assertEqual(made.returncode, 2, made.stdout + made.stderr)
        for text in texts:
            self.assertIn(text, made.stderr)
        self.assertFalse(out.exists())
        self.assertLess(time.monotonic() - begin, 10)

    def tearDown(self) -> None:
        for name in ("with.onnx", "predicted.csv"):
            (self.folder / name).unlink(missing_ok=True)

    def test_part_of_a_shape(self) -> None:
        front = [helper.make_node("Shape", ["x"], ["s"], start=1, end=2), helper.make_node("Cast", ["s"], ["f"], to=TensorProto.FLOAT),
                 helper.make_node("Div", ["x", "f"], ["h"])]
        self.check(self.graph(*front, opset=15, ir=8))

    def test_several_axes_and_other_constants(self) -> None:
        front = [helper.make_node("Constant", [], ["two"], value_int=2), helper.make_node("Pow", ["x", "two"], ["p"]),
                 helper.make_node("Constant", [], ["shape"], value_ints=[-1, 2, 1, 1]), helper.make_node("Reshape", ["p", "shape"], ["q"]),
                 helper.make_node("ReduceMean", ["q"], ["h"], axes=[2, 3], keepdims=0)]
        self.check(self.graph(*front))

    def test_rows_are_not_mixed(self) -> None:
        turned = [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]), helper.make_node("ReduceMean", ["t"], ["c"], axes=[1]),
                  helper.make_node("Sub", ["t", "c"], ["d"]), helper.make_node("Transpose", ["d"], ["h"], perm=[1, 0])]
        self.refuse(self.graph(*turned), "rows must not be mixed")
        first = [helper.make_node("Gather", ["x", "zero"], ["f"], axis=0), helper.make_node("Sub", ["x", "f"], ["h"])]
        self.refuse(self.graph(*first, constants=[constant("zero", [0], "int64")]), "rows must not be mixed")
        last = [helper.make_node("Gather", ["x", "end"], ["f"], axis=0), helper.make_node("Sub", ["x", "f"], ["h"])]
        self.refuse(self.graph(*last, constants=[constant("end", [-1], "int64")]), "rows must not be mixed")

    def test_second_outputs(self) -> None:
        front = [helper.make_node("Dropout", ["x"], ["h", "mask"])]
        self.refuse(self.graph(*front, output="mask"), "only the first of its outputs is supported, not 'mask'")
        self.refuse(self.graph(*front), "only the first of its outputs is supported", options=["--features", "mask"])
        self.check(self.graph(*front, opset=12))

    def test_files_of_old_versions(self) -> None:
        path = self.graph(opset=9, ir=3)
        model = run_onnx.onnx.load(str(path))
        for tensor in self.constants:
            model.graph.input.append(helper.make_tensor_value_info(tensor.name, TensorProto.FLOAT, list(tensor.dims)))
        path.write_bytes(model.SerializeToString())
        self.check(path)

    def test_what_the_checker_misses_is_added(self) -> None:
        self.check(self.graph(shape=False))
        path = self.graph()
        model = run_onnx.onnx.load(str(path))
        model.graph.name = ""
        path.write_bytes(model.SerializeToString())
        made, _, _ = self.attach(path)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_names_of_the_outputs_are_made_free(self) -> None:
        taken = [helper.make_node("Identity", ["x"], ["lower"]), helper.make_node("Identity", ["lower"], ["sigma_model"]),
                 helper.make_node("Identity", ["sigma_model"], ["mean"]), helper.make_node("Identity", ["mean"], ["h"])]
        self.check(self.graph(*taken))
        self.check(self.graph(*taken), "--features", "r")
        self.check(self.graph(back=[helper.make_node("Identity", ["out"], ["upper"])], output="upper"))
        self.check(self.graph(helper.make_node("Identity", ["x"], ["h"], name="mean")))  # nodes may be called anything

    def test_an_input_cannot_be_called_like_an_output(self) -> None:
        path = self.graph()
        model = run_onnx.onnx.load(str(path))
        model.graph.input[0].name = model.graph.node[0].input[0] = "upper"
        path.write_bytes(model.SerializeToString())
        self.refuse(path, "an input of the network is called 'upper'", "input_names=['upper_in']")

    def test_what_other_outputs_need_does_not_matter(self) -> None:
        path = self.graph(back=[helper.make_node("Gemm", ["out", "w2", "out"], ["third"], transA=1),
                                helper.make_node("Unique", ["r"], ["fourth"])])
        model = run_onnx.onnx.load(str(path))
        for name in ("third", "fourth"):
            model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        path.write_bytes(model.SerializeToString())
        self.refuse(path, "3 outputs ('out', 'third', 'fourth'); name the one that is the prediction with --output")
        self.refuse(path, "node 'fourth' (Unique): this operator is not supported", options=["--output", "fourth"])
        made, out, _ = self.attach(path, "--output", "out")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([o.name for o in run_onnx.onnx.load(str(out)).graph.output],
                         ["mean", "sigma_model", "sigma_noise", "lower", "upper"])

    def test_selections(self) -> None:
        whole = lambda name, values: constant(name, values, "int64")
        back = [whole("b", [-1]), whole("e", [-(2**63)]), whole("a", [1]), whole("s", [-1])]
        self.check(self.graph(helper.make_node("Slice", ["x", "b", "e", "a", "s"], ["h"]), constants=back))
        old = [helper.make_node("Slice", ["x"], ["p"], starts=[1], ends=[9], axes=[-1]), helper.make_node("Slice", ["x"], ["q"], starts=[0, 0], ends=[2**31, 1]),
               helper.make_node("Concat", ["p", "q"], ["h"], axis=1)]
        self.check(self.graph(*old, opset=9))
        cut = [helper.make_node("Split", ["x"], ["p", "q"], axis=1), helper.make_node("Concat", ["q", "p"], ["h"], axis=1)]
        self.check(self.graph(*cut))
        sized = [helper.make_node("Split", ["x", "sizes"], ["none", "h"], axis=-1)]
        self.check(self.graph(*sized, constants=[whole("sizes", [0, 2])]))
        self.refuse(self.graph(*sized, constants=[whole("sizes", [1, 2])]), "its parts are longer than 2")
        self.refuse(self.graph(*sized, constants=[whole("sizes", [2, -1])]), "its parts are longer than 2")
        mixed = [helper.make_node("Split", ["x"], ["p", "q"], axis=0), helper.make_node("Concat", ["q", "p"], ["h"], axis=0)]
        self.refuse(self.graph(*mixed), "rows")
        still = back[:3] + [whole("s", [0])]
        self.refuse(self.graph(helper.make_node("Slice", ["x", "b", "e", "a", "s"], ["h"]), constants=still), "a step is 0")

    def test_choices(self) -> None:
        compare = {"Greater": 13, "GreaterOrEqual": 13, "Less": 13, "LessOrEqual": 13, "Equal": 13}
        for op, opset in compare.items():
            with self.subTest(op):
                front = [helper.make_node(op, ["x", "half"], ["c"]), helper.make_node("Not", ["c"], ["n"]),
                         helper.make_node("Where", ["n", "x", "half"], ["h"])]
                self.check(self.graph(*front, constants=[constant("half", [0.5, -0.25])], opset=opset))
        logic = [helper.make_node("Greater", ["x", "zero"], ["c"]), helper.make_node("Cast", ["x"], ["t"], to=TensorProto.BOOL),
                 helper.make_node("And", ["c", "t"], ["u"]), helper.make_node("Or", ["u", "c"], ["v"]),
                 helper.make_node("Cast", ["v"], ["f"], to=TensorProto.FLOAT), helper.make_node("Sign", ["x"], ["s"]),
                 helper.make_node("Add", ["f", "s"], ["h"])]
        self.check(self.graph(*logic, constants=[constant("zero", 0.0)]))
        self.refuse(self.graph(helper.make_node("Where", ["x", "x", "x"], ["h"])), "input 1 must hold integers")

    def test_arrays_of_any_shape(self) -> None:
        rows = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("ConstantOfShape", ["s"], ["z"], value=constant("v", [0.5])),
                helper.make_node("Expand", ["w", "s"], ["e"]), helper.make_node("Sum", ["x", "z", "e"], ["h"])]
        self.check(self.graph(*rows, constants=[constant("w", [[0.1, 0.2]])]))
        lengths = [helper.make_node("ReduceL2", ["x"], ["l"], axes=[1]), helper.make_node("ReduceProd", ["x"], ["p"], axes=[1]),
                   helper.make_node("Concat", ["l", "p"], ["h"], axis=1)]
        self.check(self.graph(*lengths))

    def test_no_coverage_is_claimed_on_rows_the_network_has_seen(self) -> None:
        self.refuse(self.graph(), "has not learned from", "--calibrate-on", options=["--calibrate", "conformal"])
        made, _, _ = self.attach(self.graph(), "--calibrate", "conformal", "--calibrate-on", self.unseen)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_no_page_replaces_the_rows(self) -> None:
        before = self.rows.read_text()
        made, _, _ = self.attach(self.graph(), "--report", self.rows)
        self.assertEqual(made.returncode, 2)
        self.assertEqual(self.rows.read_text(), before)

    def test_the_seed_is_a_setting_like_others(self) -> None:
        tables = []
        for options in ([], ["--set", "seed=5"], ["--seed", "5"]):
            _, _, table = self.attach(self.graph(), *options)
            tables.append(table.read_text())
        self.assertNotEqual(tables[0], tables[1])
        self.assertEqual(tables[1], tables[2])

    def test_small_files_with_large_demands(self) -> None:
        wide = [helper.make_node("Expand", ["x", "s"], ["h"])]
        self.refuse(self.graph(*wide, constants=[constant("s", [2**40, 1, 2], "int64")]), "has more than")
        def needed(*nodes):
            """A graph whose output needs the value `p`."""
            return [*nodes, helper.make_node("Cast", ["p"], ["c"], to=TensorProto.FLOAT), helper.make_node("Add", ["x", "c"], ["h"])]

        filled = needed(helper.make_node("ConstantOfShape", ["s"], ["p"]))
        self.refuse(self.graph(*filled, constants=[constant("s", [2**20, 2**20], "int64")]), "has more than")
        ones = [constant("a", np.ones((4096, 1))), constant("b", np.ones((1, 4096)))]
        product = needed(helper.make_node("MatMul", ["a", "b"], ["q"]), helper.make_node("MatMul", ["q", "q"], ["p"]))
        self.refuse(self.graph(*product, constants=ones), "multiplications")
        whole = [constant("a", np.ones((8192, 1)), "int64"), constant("b", np.ones((1, 8192)), "int64")]
        table = needed(helper.make_node("Add", ["a", "b"], ["p"]))
        self.refuse(self.graph(*table, constants=whole), "numbers")
        deep = constant("deep", [1.0])
        del deep.dims[:]
        deep.dims.extend([1] * 100000)
        self.refuse(self.graph(helper.make_node("Add", ["x", "deep"], ["h"]), constants=[deep]), "axes; at most")
        empty = [constant("a", np.zeros((0, 2)))]
        empty[0].dims[1] = 2**62
        joined = needed(helper.make_node("Concat", ["a", "a"], ["p"], axis=1))
        self.refuse(self.graph(*joined, constants=empty), "has more than")


if __name__ == "__main__":
    own_data.main()
