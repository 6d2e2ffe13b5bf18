"""What `fit` promises for repeated inputs, groups, times and names, and bounds that adapt, through the tool.

Usage: test_guarantees.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import json
import random

import own_data
from own_data import TINY, WithFolder, run, table


class Guarantees(WithFolder):
    def fit(self, rows, *options):
        return run("fit", rows, "--target", "y", "-o", self.folder / "fit.nomu", *TINY, *options)

    def test_repeated_rows_count_once(self) -> None:
        lines = table(40).splitlines()
        rows = self.write("repeated.csv", "\n".join([lines[0], *lines[1:] * 5]) + "\n")
        result = self.fit(rows)
        self.assertIn("of 200 rows, 40 with distinct inputs", result.stdout)
        self.assertIn("a new row with new inputs like the 40 distinct ones of the 200 rows", result.stdout)
        self.assertNotIn("at least 95 %", result.stdout)
        report = json.loads(self.fit(rows, "--json").stdout)
        self.assertEqual((report["rows"], report["distinct_rows"]), (200, 40))
        self.assertEqual((report["calibration"]["unit"], report["calibration"]["units"]), ("new_inputs", 40))
        self.assertAlmostEqual(report["calibration"]["guaranteed_coverage"], 0.8318, places=4)
        (self.folder / "fit.nomu").unlink()

    def test_groups_prove_what_their_number_allows(self) -> None:
        draw = random.Random(2)
        lines = [f"{line},{'group' if k == 0 else draw.randrange(10)}" for k, line in enumerate(table(300).splitlines())]
        rows = self.write("grouped.csv", "\n".join(lines) + "\n")
        result = self.fit(rows, "--group", "group")
        self.assertIn("95 % is measured, not proven", result.stdout)
        self.assertIn("10 groups prove at most 90.91 %", result.stdout)
        lower = self.fit(rows, "--group", "group", "--level", "0.9")
        self.assertIn("a row of a new group like the 10 groups of the 300 rows", lower.stdout)
        self.assertIn("at least 80 %", lower.stdout)
        (self.folder / "fit.nomu").unlink()
        self.refused(
            "level 0.95 needs at least 19 calibration groups, but there are 10 (all 10 groups in 10 folds)",
            *("fit", rows, "--target", "y", "--group", "group", "--level", "0.95", "-o", self.folder / "no.nomu", *TINY),
        )

    def test_a_level_that_was_asked_for_is_refused(self) -> None:
        rows = self.write("sixty.csv", table(60))
        fit = ["fit", rows, "--target", "y", "-o", self.folder / "no.nomu", *TINY]
        self.refused("level 0.9999 needs at least 9999 calibration rows, but there are 60", *fit, "--level", "0.9999")
        self.refused("needs at least 9999", *fit, "--set", "calibration.level=0.9999")

    def test_later_rows_assume_and_adapt(self) -> None:
        draw = random.Random(3)
        lines = [f"{line},{'day' if k == 0 else k}" for k, line in enumerate(table(600).splitlines())]
        drifting = [lines[0]]
        for k, line in enumerate(lines[1:]):
            site, a, b, y, day = line.split(",")
            drifting.append(f"{site},{a},{b},{float(y) + 0.3 * k + draw.gauss(0, 1):.4f},{day}")
        past = self.write("past.csv", "\n".join(drifting[:301]) + "\n")
        known = drifting[301:]
        known[-1] = ",".join([*known[-1].split(",")[:3], "", known[-1].split(",")[4]])
        later = self.write("later.csv", "\n".join([drifting[0], *known]) + "\n")
        result = self.fit(past, "--time", "day")
        self.assertIn("if later rows are like the 60 latest ones and nothing drifts", result.stdout)
        out = self.folder / "out.csv"
        model = self.folder / "fit.nomu"
        report = json.loads(run("predict", model, later, "--adapt", "--level", "0.9", "-o", out, "--json").stdout)
        self.assertEqual(report["results"], 299)
        self.assertGreater(report["within"] / 299, 0.88)
        self.assertIn("approaches 90 %, whatever the rows do", report["guarantee"])
        with open(out) as file:
            written = list(csv.DictReader(file))
        self.assertEqual(written[-1]["y"], "")
        self.assertLess(float(written[-1]["lower"]), float(written[-1]["upper"]))
        bad = self.write("bad.csv", drifting[0] + "\n" + "north,1,1,high,9\n")
        out.unlink()
        self.refused("row 2, column 'y': 'high' is not a result", "predict", model, bad, "--adapt", "-o", out)
        nothing = self.write("nothing.csv", "site,a,b,day\nnorth,1,1,9\n")
        self.refused("there is no column 'y', whose results adaptive bounds follow", "predict", model, nothing, "--adapt", "-o", out)
        model.unlink()

    def sites(self, rows=400, seed=4):
        """Rows of three sites, of which one is calm, one wild and one rare."""
        draw = random.Random(seed)
        lines = ["site,a,y"]
        for _ in range(rows):
            site = draw.choices(["calm", "wild", "rare"], [0.5, 0.46, 0.04])[0]
            a = draw.uniform(0, 2)
            lines.append(f"{site},{a:.6f},{a + draw.gauss(0, {'calm': 0.1, 'wild': 5, 'rare': 1}[site]):.6f}")
        return lines

    def test_coverage_by_name(self) -> None:
        rows = self.write("sites.csv", "\n".join(self.sites()) + "\n")
        fresh = self.write("fresh.csv", "site,a\ncalm,1\nwild,1\nnew,1\n")
        out = self.folder / "out.csv"
        model = self.folder / "fit.nomu"
        for options in ([], ["--ignore", "site"]):
            result = self.fit(rows, "--coverage-by", "site", "--level", "0.9", "--noise", "none", *options)
            self.assertIn("within each of 2 names by itself; nothing is promised for rows", result.stdout, result.stderr)
            by_itself = r"coverage by 'site' \(calibration rows in brackets\):\n  at least 90 % by itself: calm"
            self.assertRegex(result.stdout, by_itself)
            self.assertRegex(result.stdout, r"nothing promised, widest bounds of any name: rare \([2-6]\)")
            done = run("predict", model, fresh, "--quantiles", "0.05,0.95", "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out) as file:
                calm, wild, new = list(csv.DictReader(file))
            width = [float(row["upper"]) - float(row["lower"]) for row in (calm, wild, new)]
            self.assertLess(4 * width[0], width[1])
            self.assertEqual(new["outside"], "1")
            self.assertGreaterEqual(width[2], 0.5 * width[1])
            self.assertEqual((calm["q0.05"], calm["q0.95"]), (calm["lower"], calm["upper"]))
        self.assertIn("coverage by 'site'", run("show", model).stdout)
        out.unlink()
        without = self.write("without.csv", "a\n1\n")
        self.refused("there is no column 'site', on whose names the bounds depend", "predict", model, without, "-o", out)
        self.refused("an ONNX file cannot hold bounds that depend on the names in a column", "export", model, "-o", out)
        rows = self.write("more.csv", "\n".join(self.sites(300, 5)) + "\n")
        report = json.loads(run("evaluate", model, rows, "--json").stdout)
        self.assertGreater(report["coverage_by"]["wild"]["mean_width"], 4 * report["coverage_by"]["calm"]["mean_width"])
        self.assertRegex(run("evaluate", model, rows).stdout, r"by name\n  calm +\d+ rows, coverage")
        page = self.folder / "page.html"
        self.assertEqual(run("report", model, "--data", rows, "-o", page).returncode, 0)
        self.assertIn("within the name", page.read_text())
        page.unlink()
        again = run("calibrate", model, rows, "-o", model, "--json")
        self.assertEqual(set(json.loads(again.stdout)["coverage_by"]), {"calm", "wild", "rare"}, again.stderr)
        model.unlink()

    def test_coverage_by_refuses_what_it_cannot_promise(self) -> None:
        rows = self.write("sites.csv", "\n".join(self.sites(60)) + "\n")
        fit = ["fit", rows, "--target", "y", "-o", self.folder / "no.nomu", *TINY, "--coverage-by"]
        self.refused("--coverage-by needs conformal bounds", *fit, "site", "--calibrate", "nll")
        self.refused("is the target, so bounds cannot have a level for each of its values (--coverage-by)", *fit, "y")
        self.refused("unknown column 'sit'", *fit, "sit")
        self.refused("level 0.99 needs at least 99 calibration rows, but there are", *fit, "site", "--level", "0.99")


if __name__ == "__main__":
    own_data.main()
