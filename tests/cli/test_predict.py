"""nomu predict, evaluate, calibrate, show and check: tables in and out, damaged models, wrong rows.

Usage: test_predict.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import io
import json
import random

import own_data
from own_data import TINY, WithFolder, run, table


class Predict(WithFolder):
    def test_columns_in_columns_out(self) -> None:
        rows = self.write("x.csv", "id,b,site,a\nq,1.5,north,0.5\nr,99,south,1\n")
        out = self.folder / "out.csv"
        result = run("predict", self.model, rows, "--level", "0.9", "-o", out)
        self.assertIn("1 of them outside", result.stdout)
        self.assertIn("bounds of 90 %", result.stdout)
        with out.open() as file:
            found = list(csv.DictReader(file))
        names = ["id", "b", "site", "a", "mean", "sigma_model", "sigma_noise", "lower", "upper", "outside"]
        self.assertEqual(list(found[0]), names)
        self.assertEqual([row["outside"] for row in found], ["0", "1"])
        for row in found:
            self.assertLess(float(row["lower"]), float(row["upper"]))
        shown = list(csv.DictReader(io.StringIO(run("predict", self.model, rows, "--level", "0.9").stdout)))
        self.assertEqual(shown, found, "standard output takes the same table")
        report = json.loads(run("predict", self.model, rows, "-o", out, "--json").stdout)
        self.assertEqual((report["rows"], report["outside"], report["level"]), (2, 1, 0.95))
        out.unlink()

    def test_a_row_alone_equals_the_row_in_a_batch(self) -> None:
        batch = run("predict", self.model, self.train).stdout.splitlines()
        header, first = self.train.read_text().splitlines()[:2]
        alone = run("predict", self.model, self.write("one.csv", f"{header}\n{first}\n")).stdout.splitlines()
        self.assertEqual(alone[1], batch[1])

    def test_wrong_rows(self) -> None:
        out = self.folder / "bad_out.csv"
        cases = {
            "unknown column 'b'": "site,a\nnorth,1\n",
            "row 2, column 'a': 'x' is not a number": "site,a,b\nnorth,x,2\n",
            "already a column 'mean'": "site,a,b,mean\nnorth,1,2,3\n",
        }
        for message, text in cases.items():
            self.refused(message, "predict", self.model, self.write("bad.csv", text), "-o", out)
        self.refused("level must be in (0, 1), got 2", "predict", self.model, self.train, "--level", "2", "-o", out)
        self.refused("needs at least 99 calibration rows", "predict", self.model, self.train, "--level", "0.99", "-o", out)
        far = self.write("far.csv", "site,a,b\nnorth,1,2\nnorth,1e40,2\n")
        self.refused("far.csv, row 3, column 'a': 1e+40 is", "predict", self.model, far, "-o", out)
        self.refused("would be overwritten", "predict", self.model, self.train, "-o", self.model)
        self.refused("--json needs -o FILE", "predict", self.model, self.train, "--json")

    def test_rows_with_missing_values(self) -> None:
        out = self.folder / "dropped_out.csv"
        rows = self.write("holes.csv", "site,a,b,note\nnorth,1,2,\nnorth,1,,x\n,1,2,y\nsouth,0,1,z\n")
        self.assertIn("3 of them outside", run("predict", self.model, rows, "-o", out).stdout)
        said = run("predict", self.model, rows, "--drop-missing", "-o", out).stdout
        self.assertIn("2 rows with missing values were dropped", said)
        self.assertEqual([row["note"] for row in csv.DictReader(io.StringIO(out.read_text()))], ["", "z"])
        empty = self.write("empty.csv", "site,a,b\nnorth,,2\n")
        self.refused("every row has a missing value", "predict", self.model, empty, "--drop-missing", "-o", out)

    def test_nothing_uncalibrated_has_a_level(self) -> None:
        model = self.folder / "raw.nomu"
        said = run("fit", self.train, "--target", "y", "--calibrate", "none", "-o", model, *TINY).stdout
        self.assertNotIn("95 %", said)
        rows = list(csv.DictReader(io.StringIO(run("predict", model, self.train).stdout)))
        self.assertEqual((rows[0]["lower"], rows[0]["upper"]), ("", ""))
        self.refused("is not calibrated", "predict", model, self.train, "--level", "0.95")
        self.assertIn("no bounds to evaluate", run("evaluate", model, self.train).stdout)
        model.unlink()

    def test_damaged_models(self) -> None:
        whole = self.model.read_bytes()
        draw = random.Random(5)
        path = self.folder / "damaged.nomu"
        path.touch()
        for length in [0, 1, 10, 40, *(draw.randrange(len(whole)) for _ in range(20))]:
            path.write_bytes(whole[:length])
            self.refused("damaged.nomu: ", "show", path)
        changed = bytearray(whole)
        changed[len(changed) // 2] ^= 1
        path.write_bytes(changed)
        self.refused("does not match its checksum; the file is damaged", "predict", path, self.train)
        self.refused("this is not a nomu model", "show", self.train)
        path.unlink()


class Judge(WithFolder):
    def test_evaluate(self) -> None:
        fresh = self.write("fresh.csv", table(200, seed=3))
        self.assertIn("coverage", run("evaluate", self.model, fresh).stdout)
        self.assertNotIn("prove little", run("evaluate", self.model, fresh).stdout)
        self.assertIn("40 of them are among those the model was made with", run("evaluate", self.model, self.train).stdout)
        report = json.loads(run("evaluate", self.model, fresh, "--level", "0.9", "--json").stdout)
        self.assertEqual((report["rows"], report["level"]), (200, 0.9))
        self.assertGreater(report["coverage"], 0.7)
        self.refused("unknown column 'y'", "evaluate", self.model, self.write("x.csv", "site,a,b\nnorth,1,2\n"))

    def test_calibrate(self) -> None:
        fresh = self.write("fresh.csv", table(60, seed=4))
        out = self.folder / "again.nomu"
        result = run("calibrate", self.model, fresh, "--calibrate", "isotonic", "--level", "0.9", "-o", out)
        self.assertIn("isotonic, on 60 separate rows", result.stdout)
        report = json.loads(run("calibrate", self.model, fresh, "-o", out, "--json").stdout)
        self.assertEqual((report["kind"], report["guaranteed_coverage"]), ("conformal", 0.95))
        mean = lambda model: [r["mean"] for r in csv.DictReader(io.StringIO(run("predict", model, fresh).stdout))]
        self.assertEqual(mean(out), mean(self.model), "the fit itself stays")
        self.refused("are among those the model learned from", "calibrate", self.model, self.train, "-o", out)
        out.unlink()

    def test_show(self) -> None:
        self.assertIn("CV+", run("show", self.model).stdout)
        facts = json.loads(run("show", self.model, "--json").stdout)
        self.assertEqual(facts["settings"]["train.epochs"], "40")
        self.assertEqual(facts["data"]["columns"][0], {"name": "site", "kind": "names", "levels": ["north", "south"], "unknown": True})

    def test_check(self) -> None:
        said = run("check", self.model, "--probes", "100").stdout
        for name in ("D1", "D2", "D3", "D4", "D5"):
            self.assertIn(name, said)
        findings = {f["name"]: f for f in json.loads(run("check", self.model, "--probes", "100", "--no-refit", "--json").stdout)}
        self.assertIn(findings["D2"]["verdict"], ("holds", "fails"))
        self.assertEqual(findings["D5"]["verdict"], "skipped")


if __name__ == "__main__":
    own_data.main()
