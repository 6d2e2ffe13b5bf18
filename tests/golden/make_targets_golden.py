"""Writes targets_v2.nomu, of two targets, and its predictions: make_targets_golden.py PATH_TO_NOMU

Run once, with a version that wrote format 2.0, where each target had rows of its own; later versions must read the file.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETTINGS = ["mean_net.hidden=8", "sigma_net.hidden=8", "train.epochs=100", "augment.count=8", "calibration.folds=4"]


def main() -> None:
    nomu = sys.argv[1]
    lines = ["shop,size,a,b"]
    for i in range(40):
        size = (i * 37 % 40) / 4
        lines.append(f"{['east', 'west'][i // 2 % 2]},{size},{size + i * 13 % 7},{(i * 11 % 9) - size / 2}")
    with tempfile.TemporaryDirectory() as folder:
        data, model, rows = Path(folder, "train.csv"), HERE / "targets_v2.nomu", HERE / "targets_v2_rows.csv"
        data.write_text("\n".join(lines) + "\n")
        rows.write_text("shop,size\neast,2.5\nwest,9\nnorth,20\n")
        options = [part for setting in SETTINGS for part in ("--set", setting)]
        fit = ["fit", data, "--target", "a,b", "--preset", "written", "--level", "0.9"]
        subprocess.run([nomu, *fit, *options, "-o", model], check=True)
        subprocess.run([nomu, "predict", model, rows, "--joint", "-o", HERE / "targets_v2.csv"], check=True)


if __name__ == "__main__":
    main()
