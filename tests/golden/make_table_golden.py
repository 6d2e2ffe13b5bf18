"""Writes table_v1_2.nomu, of a table with columns of all kinds, and its predictions: make_table_golden.py PATH_TO_NOMU

Run once, with the version that introduced format 1.2; later versions must read the file and predict the same.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETTINGS = ["mean_net.hidden=8", "sigma_net.hidden=8", "train.epochs=200", "augment.count=8", "calibration.folds=4"]
ROWS = """day,shop,size,open,grade
2021-03-05T06:00,east,2.5,yes,1
,west,,no,2
2022-01-01,north,9,maybe,A
2021-06-01,,unknown,,
"""


def train() -> str:
    lines = ["id,day,shop,size,open,grade,y"]
    for i in range(40):
        day = "" if i % 9 == 4 else f"{2020 + i // 12}-{1 + i % 12:02}-{1 + 2 * i % 27:02}T{6 * (i % 4):02}:00Z"
        shop = ["east", "west", ""][i // 2 % 3]
        size = "" if i % 7 == 3 else f"{(i * 37 % 40) / 4}"
        grade = ["1", "2", "A"][i % 3]
        lines.append(f"r{i},{day},{shop},{size},{['yes', 'no'][i % 2]},{grade},{(i * 13 % 29) / 4 + i % 3}")
    return "\n".join(lines) + "\n"


def main() -> None:
    nomu = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        data, model, rows = Path(folder, "train.csv"), HERE / "table_v1_2.nomu", HERE / "table_v1_2_rows.csv"
        data.write_text(train())
        rows.write_text(ROWS)
        options = [part for setting in SETTINGS for part in ("--set", setting)]
        fit = ["fit", data, "--target", "y", "--preset", "written", "--calibrate", "nll", "--range", "0,inf"]
        subprocess.run([nomu, *fit, *options, "-o", model], check=True)
        quantiles = ["--quantiles", "0.1,0.9"]
        subprocess.run([nomu, "predict", model, rows, *quantiles, "-o", HERE / "table_v1_2.csv"], check=True)


if __name__ == "__main__":
    main()
