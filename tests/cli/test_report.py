"""The report on a model: `nomu report` and `nomu fit --report`; pages, pictures, messages, exit codes.

Usage: test_report.py PATH_TO_NOMU [unittest arguments]
"""

import json
import os
import xml.etree.ElementTree
from html.parser import HTMLParser

import own_data
from own_data import TINY, WithFolder, run, table


class Page(HTMLParser):
    """Checks that tags balance and that the page loads and runs nothing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.faults, self.headings, self.pictures = [], [], [], 0
        self.feed(text)
        self.faults += self.open

    def handle_starttag(self, tag, attributes) -> None:
        if tag in ("script", "link", "img", "iframe", "object", "embed"):
            self.faults.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "href") or "url(" in (value or ""):
                self.faults.append(f"{tag} {name}")
        self.pictures += tag == "svg"
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append("/" + tag)

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


class Report(WithFolder):
    chapters = ["What the bounds mean", "What the model predicts", "Is it right?", "Does the uncertainty behave as it should?",
                "How the fit went", "Data", "Settings"]  # fmt: skip

    def page(self, path) -> str:
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.faults, [])
        self.assertEqual(page.headings, self.chapters)
        self.assertGreater(page.pictures, 4)
        self.assertLess(len(text), 1_500_000)
        return text

    def test_beside_the_model(self) -> None:
        result = run("report", self.model)
        self.assertEqual(result.returncode, 0, result.stderr)
        path = self.folder / "model.html"
        self.assertEqual(result.stdout.strip(), str(path))
        text = self.page(path)
        self.assertIn("Model of y", text)
        self.assertIn("each left out of one fold", text)
        self.assertIn("y along site", text)

    def test_fresh_rows_and_single_pictures(self) -> None:
        data = self.write("test.csv", table(30, seed=2))
        out, plots = self.folder / "page.html", self.folder / "plots"
        result = run("report", self.model, "--data", data, "-o", out, "--plots", plots, "--title", "<b>&", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = self.page(out)
        self.assertIn("the 30 rows of test.csv", text)
        self.assertIn("<h1>&lt;b&gt;&amp;</h1>", text)
        files = json.loads(result.stdout)["files"]
        self.assertEqual(files[0], str(out))
        self.assertEqual(sorted(os.listdir(plots)), sorted(os.path.basename(f) for f in files[1:]))
        for name in ("predicted.svg", "reliability.svg", "width_coverage.svg", "loss.svg", "sigma_distance.svg"):
            self.assertTrue(xml.etree.ElementTree.parse(plots / name).getroot().tag.endswith("svg"))

    def test_fit_writes_it_too(self) -> None:
        out = self.folder / "fitted.html"
        result = run("fit", self.train, "--target", "y", "-o", self.folder / "m.nomu", "--report", out, *TINY)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"report: {out}", result.stdout)
        self.assertIn("y from train.csv", self.page(out))

    def test_same_model_same_bytes_whatever_the_threads(self) -> None:
        pages = []
        for threads in (1, 2):
            out = self.folder / f"threads{threads}.html"
            self.assertEqual(run("report", self.model, "-o", out, "--threads", threads).returncode, 0)
            pages.append(out.read_bytes())
        self.assertEqual(*pages)

    def test_without_calibration_no_percentage_is_named(self) -> None:
        model, out = self.folder / "raw.nomu", self.folder / "raw.html"
        run("fit", self.train, "--target", "y", "--calibrate", "none", "-o", model, *TINY)
        self.assertEqual(run("report", model, "-o", out, "--no-check").returncode, 0)
        self.assertNotRegex(out.read_text().split("</style>")[1], r"\d %")

    def test_wrong_input(self) -> None:
        self.refused("cannot read", "report", self.folder / "none.nomu")
        self.refused("all 40 rows of train.csv are among those", "report", self.model, "--data", self.train)
        self.refused("level must be in (0, 1), got 2", "report", self.model, "--level", 2)
        self.refused("needs at least", "report", self.model, "--level", 0.999)
        self.refused("would be overwritten", "report", self.model, "-o", self.model)
        self.refused("cannot write", "report", self.model, "-o", self.folder / "no" / "page.html")
        self.refused("cannot write to the folder", "report", self.model, "--plots", self.train / "sub")
        data = self.write("half.csv", "site,a,y\nnorth,1,2\n")
        self.refused("b", "report", self.model, "--data", data)
        same = self.folder / "same.nomu"
        self.refused("would be overwritten", "fit", self.train, "--target", "y", "-o", same, "--report", same, *TINY)


if __name__ == "__main__":
    own_data.main()
