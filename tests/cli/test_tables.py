"""Tables as people have them, through the tool: missing cells, unknown names, dates, mixed columns, ranges, quantiles.

Usage: test_tables.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import io
import json
import math
import random

import own_data
from own_data import TINY, WithFolder, run


def sales(rows: int = 60, seed: int = 1) -> str:
    """Columns id, day, shop, size (with holes), open and y >= 0, which depends on all but the id."""
    draw = random.Random(seed)
    lines = ["id,day,shop,size,open,y"]
    for i in range(rows):
        month, shop, size, is_open = 1 + i % 12, draw.choice(["east", "west", ""]), draw.uniform(1, 9), draw.random() < 0.7
        hole = draw.random() < 0.2
        y = (3 if hole else size) * (2 if is_open else 1) * (1.5 if shop == "east" else 1) * (1.2 + math.sin(month))
        cells = ["" if hole else f"{size:.4f}", "yes" if is_open else "no", f"{max(0.0, y):.4f}"]
        lines.append(",".join([f"r{i}", f"{2020 + i // 12}-{month:02}-{1 + i % 27:02}", shop, *cells]))
    return "\n".join(lines) + "\n"


class Tables(WithFolder):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.sales = cls.write("sales.csv", sales())
        cls.sales_model = cls.folder / "sales.nomu"
        done = run("fit", cls.sales, "--target", "y", "--range", "0,inf", "-o", cls.sales_model, *TINY)
        assert done.returncode == 0, done.stderr
        cls.sales_said = done.stdout

    def fitted(self, text: str, *more) -> str:
        """What fit says about a table."""
        out = self.folder / "table.nomu"
        result = run("fit", self.write("table.csv", text), "--target", "y", "-o", out, *TINY, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def predicted(self, text: str, *more, model=None) -> list[dict]:
        rows = self.write("rows.csv", text)
        result = run("predict", model or self.sales_model, rows, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return list(csv.DictReader(io.StringIO(result.stdout)))

    def test_fit_says_what_it_made_of_the_columns(self) -> None:
        said = self.sales_said
        self.assertIn("day (day, season, weekday), shop (2 names), size, open (yes or no)", said)
        self.assertRegex(said, r"missing cells are learned from, with an input of their own: shop \(\d+\), size \(\d+\)")
        self.assertIn("column 'id' has 60 different names in 60 rows, like a row id, and is left out", said)
        self.assertIn("'y' stays between 0 and inf", said)
        self.assertIn(said[:said.index("calibration:")], run("show", self.sales_model).stdout, "the file remembers")

    def test_an_input_may_not_be_called_like_a_prediction(self) -> None:
        table = self.write("named.csv", sales().replace("size", "mean", 1))
        out = self.folder / "named.nomu"
        self.refused("the input 'mean' has the name of a column that predict adds", "fit", table, "--target", "y", "-o", out)
        self.assertFalse(out.exists())
        done = run("fit", table, "--target", "y", "--ignore", "mean", "-o", out, *TINY)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_missing_cells_and_unknown_names_at_prediction(self) -> None:
        header = "day,shop,size,open\n"
        rows = self.predicted(header + "2022-05-01,east,4,yes\n2022-05-01,,,no\n2022-05-01,north,4,yes\n2022-05-01,east,4,\n")
        self.assertEqual([row["outside"] for row in rows], ["0", "0", "1", "1"],
                         "holes are known in shop and size, not in open; 'north' is new")
        out = self.folder / "told.csv"
        said = run("predict", self.sales_model, self.write("rows.csv", header + "2022-05-01,esat,4,yes\n"), "-o", out).stdout
        self.assertIn("1 row with a name in column 'shop' that the model does not know, such as 'esat'; did you mean 'east'?",
                      said)
        out.unlink()

    def test_columns_go_by_name(self) -> None:
        plain = self.predicted("day,shop,size,open\n2022-05-01,east,4,yes\n")
        mixed = self.predicted("colour,open,size,shop,day\nred,yes,4,east,2022-05-01\n")
        self.assertEqual(mixed[0]["mean"], plain[0]["mean"])
        self.assertEqual(mixed[0]["colour"], "red", "columns that the model does not need are kept")
        for words in "yes", "TRUE", "1":
            row = self.predicted(f"day,shop,size,open\n2022-05-01,east,4,{words}\n")[0]
            self.assertEqual(row["mean"], plain[0]["mean"], words)

    def test_weights_of_rows(self) -> None:
        rows = "\n".join(f"{i / 10:.1f},{i / 10 + 50 * (i % 4 == 3)},{0 if i % 4 == 3 else 1}" for i in range(60))
        out, model = self.write("rows.csv", "a\n3\n"), self.folder / "table.nomu"
        means = []
        for options in ["--weight", "w"], ["--ignore", "w"]:
            self.fitted("a,y,w\n" + rows, *options, "--calibrate", "none")
            means.append(float(next(csv.DictReader(io.StringIO(run("predict", model, out).stdout)))["mean"]))
        self.assertLess(means[0], 8)
        self.assertGreater(means[1], 8)
        self.refused_data("'w'", "a,y,w\n1,1,1\n2,2,-1\n3,3,1\n4,4,1\n", "--weight", "w")

    def test_equal_weights_are_none(self) -> None:
        rows = [f"{i / 10:.1f},{math.sin(i / 10) + (i * 7 % 5) / 10:.4f}" for i in range(60)]
        files = []
        for weight in "", ",0.001", ",100":
            text = "\n".join(["a,y,w" if weight else "a,y", *(row + weight for row in rows)]) + "\n"
            self.fitted(text, *(["--weight", "w"] if weight else []))
            files.append((self.folder / "table.nomu").read_bytes())
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])

    def test_rows_of_weight_0_do_not_matter(self) -> None:
        good = [f"{i / 10:.1f},{math.sin(i / 10) + (i * 7 % 5) / 10:.4f},1" for i in range(60)]
        bad = [f"{-50 * i},{1000 * (i % 3)},0" for i in range(15)]
        asked = self.write("rows.csv", "a\n0.5\n3\n9\n")
        said, answers = [], []
        for rows in good, [*good[:30], *bad, *good[30:]]:
            said.append(self.fitted("\n".join(["a,y,w", *rows]) + "\n", "--weight", "w"))
            answers.append(run("predict", self.folder / "table.nomu", asked).stdout)
        self.assertEqual(answers[0], answers[1])
        self.assertIn("lower", answers[0])
        self.assertNotIn("weight 0", said[0])
        self.assertIn("15 rows of weight 0 were left out", said[1])

    def test_rows_without_a_target_are_left_out_aloud(self) -> None:
        said = self.fitted("a,y\n1,1\n2,\n3,3\n4,4\n5,6\n")
        self.assertIn("1 row without a value of 'y' was left out", said)
        said = run("evaluate", self.model, self.write("rows.csv", "site,a,b,y\nnorth,1,2,300\nnorth,1,2,\n")).stdout
        self.assertIn("1 row without a value of 'y' was left out", said)

    def test_empty_and_mixed_columns(self) -> None:
        said = self.fitted("a,e,z,y\n1,,1,1\n2,,2,2\n3,NA,3+,3\n4,,1,5\n5,,2,6\n")
        self.assertIn("column 'e' is empty in every row and is left out", said)
        self.assertIn("column 'z' mixes numbers with texts such as '3+'", said)
        self.assertIn("--categorical", said)
        text = "a,z,y\n" + "\n".join(f"{i},{'-' if i == 7 else i * i},{i % 5}" for i in range(30))
        said = self.fitted(text)
        self.assertIn("column 'z' has numbers in 29 cells and '-' in 1, which count as missing", said)
        self.assertIn("z (1)", said)
        report = json.loads(self.fitted(text, "--json"))["table"]
        self.assertEqual(report["missing_cells"], {"z": 1})
        self.assertEqual(len(report["notes"]), 1)

    def test_many_names(self) -> None:
        draw = random.Random(3)
        names = [f"n{int(draw.expovariate(0.02))}" for _ in range(400)]
        said = self.fitted("c,y\n" + "\n".join(f"{name},{i % 7}" for i, name in enumerate(names)), "--calibrate", "none")
        self.assertRegex(said, r"column 'c' has \d+ names: the \d+ most frequent have inputs of their own, the others, in "
                               r"\d+ of 400 rows, share one")

    def test_broken_dates(self) -> None:
        text = "d,y\n2024-01-01,1\n2024-01-02,2\n2024-02-30,3\n2024-01-04,4\n"
        self.refused_data("row 4, column 'd': '2024-02-30' is not a date like 2024-05-17", text)
        self.refused_data("call the column categorical (--categorical), or leave it out (--ignore)", text)
        self.refused("rows.csv, row 2, column 'day': 'soon' is not a date", "predict", self.sales_model,
                     self.write("rows.csv", "day,shop,size,open\nsoon,east,4,yes\n"))

    def test_times_as_inputs_on_request(self) -> None:
        said = self.fitted("d,a,y\n" + "\n".join(f"2024-01-{i:02},{i % 3},{i}" for i in range(1, 29)),
                           "--time", "d", "--features", "d,a", "--calibrate", "nll")
        self.assertIn("from 2 inputs: d (day, weekday), a", said)
        self.assertIn("held out (the latest)", said)

    def test_ranges(self) -> None:
        rows = self.predicted(sales(40, 2), "--level", "0.9", "--quantiles", "0.05,0.95")
        for row in rows:
            for name in ("mean", "lower", "upper", "q0.05", "q0.95"):
                self.assertGreaterEqual(float(row[name]), 0.0, name)
        self.assertTrue(any(float(row["lower"]) == 0.0 for row in rows), "bounds that would be negative end at 0")
        self.refused_data("row 3, column 'y': -2 is not in the range 0 to inf of the target (--range)",
                          "a,y\n1,1\n2,-2\n3,3\n4,4\n", "--range", "0,inf")
        self.refused_data("--range: must be LOW,HIGH", "a,y\n1,1\n2,2\n3,3\n4,4\n", "--range", "1,0")

    def test_quantiles(self) -> None:
        rows = self.predicted("site,a,b\nnorth,1,2\nsouth,0,1\n", "--quantiles", "0.95,0.5,0.05,0.25", "--level", "0.9",
                              model=self.model)
        names = ["mean", "sigma_model", "sigma_noise", "lower", "upper", "q0.95", "q0.5", "q0.05", "q0.25", "outside"]
        self.assertEqual(list(rows[0])[3:], names)
        for row in rows:
            values = [float(row[name]) for name in ("q0.05", "q0.25", "q0.5", "q0.95")]
            self.assertEqual(values, sorted(values))
            self.assertEqual((row["q0.05"], row["q0.95"]), (row["lower"], row["upper"]))
        out = self.folder / "refused.csv"
        self.refused("quantile 0.001 is a bound of level 0.998", "predict", self.model, self.train, "--quantiles", "0.001", "-o", out)
        self.refused("inside (0, 1), got 1", "predict", self.model, self.train, "--quantiles", "0.5,1", "-o", out)


if __name__ == "__main__":
    own_data.main()
