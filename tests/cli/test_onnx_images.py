"""Rows that are images: convolutional models from the command line, as ONNX files, and beside a trained network.

Usage: test_onnx_images.py PATH_TO_NOMU [unittest arguments]
"""

import json

import own_data
import run_onnx
from own_data import run
from test_onnx import GOLDEN, NAMES, OnnxTest, columns

CONVOLUTIONS = {
    "nomu": ["--method", "nomu", "--set", "ensemble=2", "--set", "mean_net.image=1,8,8", "--set", "mean_net.filters=3,4",
             "--set", "mean_net.padding=1", "--set", "mean_net.pool=2,0", "--set", "mean_net.pooling=average",
             "--set", "sigma_net.image=1,8,8", "--set", "sigma_net.filters=4", "--set", "sigma_net.stride=2",
             "--set", "sigma_net.hidden=8", "--set", "mean_net.hidden=8"],
    "ensemble": ["--method", "deep_ensemble", "--set", "networks=3", "--set", "net.image=1,8,8", "--set", "net.filters=3,4",
                 "--set", "net.kernel=3,2", "--set", "net.activation=tanh", "--set", "net.hidden=8"],
    "dropout": ["--method", "mc_dropout", "--set", "passes=5", "--set", "net.image=1,8,8", "--set", "net.filters=3,4",
                "--set", "net.pool=2,1", "--set", "net.hidden=8", "--set", "net.activation=tanh"],
}


class Images(OnnxTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if run_onnx.MISSING:
            return
        import numpy as np

        draw = np.random.default_rng(1)
        cls.x = draw.uniform(0, 1, (1000, 1, 8, 8)).astype(np.float32)
        pixels = cls.x.reshape(1000, 64).astype(float)
        answer = next(iter(run_onnx.outputs(GOLDEN / "torch_cnn.onnx", {"x": cls.x}).values())).reshape(-1)
        target = answer.astype(float) + draw.normal(0, 0.01, 1000)
        lines = [",".join(f"{value:.17g}" for value in row) for row in pixels]
        names = ",".join(f"x{j + 1}" for j in range(64))
        cls.rows = cls.write("rows.csv", "\n".join([names, *lines]) + "\n")
        cls.data = cls.write("images.csv", "\n".join([names + ",y", *(f"{line},{y:.9g}" for line, y in
                                                                      zip(lines[:60], target))]) + "\n")

    def test_convolutional_models_are_fitted_and_exported(self) -> None:
        for name, options in CONVOLUTIONS.items():
            with self.subTest(name):
                model, out = self.folder / "image.nomu", self.folder / "image.onnx"
                done = run("fit", self.data, "--target", "y", "-o", model, "--device", "cpu", "--calibrate", "nll",
                           "--set", "train.epochs=30", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(run("export", model, "-o", out).returncode, 0)
                found = run_onnx.outputs(out, {"x": self.x.reshape(1000, 64)})
                count = 1 if name == "dropout" else 1000  # masks are those of the first row
                own = columns(run("predict", model, self.rows, "--device", "reference").stdout, NAMES)
                self.compare_bounds({key: found[key][:count] for key in NAMES},
                                    {key: own[key][:count] for key in NAMES})

    def attach(self, *more, network=GOLDEN / "torch_cnn.onnx"):
        self.out = self.folder / "cnn_bounds.onnx"
        return run("attach", network, "--data", self.data, "--target", "y", "-o", self.out, "--device", "cpu",
                   "--set", "train.epochs=60", "--set", "sigma_net.hidden=16", *more)

    def test_a_network_of_images_gets_bounds_with_and_without_filters(self) -> None:
        import numpy as np

        filters = ["--set", "sigma_net.filters=4,6", "--set", "sigma_net.padding=1", "--set", "sigma_net.pool=2,0"]
        before = next(iter(run_onnx.outputs(GOLDEN / "torch_cnn.onnx", {"x": self.x}).values()))
        sizes = []
        for options in ([], filters, [*filters, "--noise", "learned"]):
            own = self.folder / "own.csv"
            done = self.attach("--predict", self.rows, "--predictions", own, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes.append(self.out.stat().st_size)
            found = run_onnx.outputs(self.out, {"x": self.x})
            self.assertTrue(np.array_equal(before, found["mean"]), "the mean is the network's own, bit for bit")
            self.compare_bounds(found, columns(own.read_text(), NAMES))
        self.assertLess(sizes[0], sizes[1])

    def test_an_old_operator_set_has_no_axes_from_the_back(self) -> None:
        if run_onnx.onnx is None:
            self.skipTest("python3-onnx is not installed")
        old = run_onnx.onnx.load(str(GOLDEN / "torch_cnn.onnx"))
        old.opset_import[0].version = 10
        network = self.folder / "old.onnx"
        network.write_bytes(old.SerializeToString())
        done = self.attach("--set", "sigma_net.filters=4", network=network)
        self.assertEqual(done.returncode, 0, done.stderr)
        axes = [run_onnx.attributes(node)["axis"] for node in run_onnx.onnx.load(str(self.out)).graph.node
                if node.op_type in ("Gather", "Concat")]
        self.assertTrue(axes)
        self.assertGreaterEqual(min(axes), 0)

    def test_filters_that_nothing_can_use_are_refused(self) -> None:
        out = self.folder / "no.onnx"
        table = self.write("plain.csv", "a,b,y\n" + "".join(f"{i / 9},{i % 3},{i % 5}\n" for i in range(10)))
        self.refused("sigma_net.filters and sigma_net.image are for networks that read images", "attach",
                     GOLDEN / "torch_relu.onnx", "--data", table, "--target", "y", "-o", out, "--set", "sigma_net.filters=4")
        self.refused("but the network reads images of 1 x 8 x 8", "attach", GOLDEN / "torch_cnn.onnx", "--data", self.data,
                     "--target", "y", "-o", out, "--set", "sigma_net.filters=4", "--set", "sigma_net.image=4,4,4")
        for net in ("mean_net", "noise_net"):
            self.refused("only the sigma network may have filters", "attach", GOLDEN / "torch_cnn.onnx", "--data", self.data,
                         "--target", "y", "-o", out, "--set", f"{net}.filters=4")
        model = self.folder / "no.nomu"
        self.refused("an image needs filters", "fit", self.data, "--target", "y", "-o", model, "--device", "cpu",
                     "--set", "mean_net.image=1,8,8")
        self.refused("the image of net 0 has 1 x 8 x 7 = 56 values, but rows have 64 columns", "fit", self.data, "--target",
                     "y", "-o", model, "--device", "cpu", "--set", "mean_net.image=1,8,7", "--set", "mean_net.filters=2")

    def test_what_was_fitted_is_said(self) -> None:
        report = json.loads(self.attach("--json", "--set", "sigma_net.filters=2").stdout)
        self.assertEqual(len(report["inputs"]), 64)


if __name__ == "__main__":
    own_data.main()
