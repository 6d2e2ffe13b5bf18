"""Model files whose numbers were changed and whose checksums were mended, through the tool.

Usage: test_hostile_models.py PATH_TO_NOMU [unittest arguments]
"""

import json
import struct
import sys
import unittest
from pathlib import Path

import test_hostile
from test_hostile import FIT, SETTINGS, WithFolder, nomu

WIDTH = {"f32": 4, "f64": 8, "u64": 8}


def crc64(data: bytes) -> int:
    value = 2**64 - 1
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
    return value ^ (2**64 - 1)


def with_block(model: bytes, name: str, numbers: bytes) -> bytes:
    """The file with other numbers, as many as before, in one of its blocks."""
    length = struct.unpack("<Q", model[16:24])[0]
    header, rest = json.loads(model[32 : 32 + length]), model[32 + length :]
    blocks = []
    for entry in header["blocks"]:
        size = WIDTH[entry["type"]]
        for extent in entry["shape"]:
            size *= extent
        block, rest = rest[:size], rest[size:]
        if entry["name"] == name:
            block = (numbers * size)[:size]
            entry["crc64"] = f"{crc64(block):016x}"
        blocks.append(block)
    text = json.dumps(header).encode()
    front = model[:16] + struct.pack("<Q", len(text))
    return front + struct.pack("<Q", crc64(front + text)) + text + b"".join(blocks)


class Predictions(WithFolder):
    def broken(self, calibration: str) -> Path:
        """A model that reads without complaint and predicts nan."""
        model = self.folder / "broken.nomu"
        settings = ["--set", "most_steps=3", "--set", "calibration.folds=2"]
        self.assertDone(nomu("fit", self.table, "--target", "y", "--method", "gp", "--calibrate", calibration, *settings, "-o", model))
        model.write_bytes(with_block(model.read_bytes(), "state/kernel", struct.pack("<f", float("nan"))))
        return model

    def test_messages_name_the_model_that_predicts_nan(self) -> None:
        model = self.broken("nll")
        fresh = self.folder / "fresh.csv"
        fresh.write_text("x,y\n" + "".join(f"{i / 9},{i % 4}\n" for i in range(20)))
        out = self.folder / "out"
        for words in (["predict", model, fresh], ["predict", model, fresh, "-o", out], ["evaluate", model, fresh],
                      ["calibrate", model, fresh, "--calibrate", "nll", "-o", out]):  # fmt: skip
            self.assertRefused(nomu(*words), f"{model}, predicting {fresh}: the mean of row 0", "nan")
        for words in (["report", model, "-o", out], ["report", model, "--no-check", "-o", out], ["check", model, "--no-refit"]):
            self.assertRefused(nomu(*words), f"{model}: the ", "nan")
        self.assertFalse(out.exists())

    def test_nan_is_not_written_as_a_prediction(self) -> None:
        model = self.broken("none")
        self.assertRefused(nomu("predict", model, self.table), f"{model}, predicting {self.table}: the mean of row 0")


class Notes(WithFolder):
    def test_long_cells_and_names_are_not_repeated(self) -> None:
        long = "a" * 3_000_000
        rows = "".join(f"{i / 7},{i % 5}\n" for i in range(60))
        model = self.folder / "m.nomu"
        for table in (f"x,y\n{rows}{long},3\n", f"{long},y\n{rows}"):  # a cell among numbers, the name of an input
            self.table.write_text(table)
            done = nomu("fit", self.table, *FIT, "-o", model)
            self.assertDone(done)
            for said in (done.stdout, nomu("show", model).stdout):
                self.assertIn("bytes ...]", said)
                self.assertLess(len(said), 10_000)
            exported = nomu("export", model, "-o", self.folder / "m.onnx")
            if "built without ONNX" not in exported.stderr:
                self.assertDone(exported)
                self.assertLess(len(exported.stdout), 10_000)
        self.assertLess(len(nomu("predict", model, self.table, "--level", "9" * 100_000 + "x").stderr), 10_000)

    def test_refusals_of_a_level_name_the_model(self) -> None:
        model = self.folder / "m.nomu"
        self.assertDone(nomu("fit", self.table, "--target", "y", "--preset", "written", *SETTINGS, "--level", "0.8", "-o", model))
        for words in (["predict", model, self.table], ["export", model, "-o", self.folder / "m.onnx"]):
            refused = nomu(*words, "--level", ".9999")
            if "built without ONNX" not in refused.stderr:
                self.assertRefused(refused, f"{model}: level 0.9999 needs at least", "choose a lower level (--level)")


if __name__ == "__main__":
    test_hostile.NOMU = sys.argv.pop(1)
    unittest.main()
