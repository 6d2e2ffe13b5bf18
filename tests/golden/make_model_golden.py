"""Writes model_v1.nomu and the predictions a later version must repeat: make_model_golden.py PATH_TO_NOMU

Run it once per format version, with the version that introduces the format; the files are then kept for ever.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TRAIN = "a,c,y\n0,red,1.0\n1,blue,2.5\n2,red,2.0\n3,blue,4.5\n4,red,4.0\n5,blue,6.5\n6,red,6.0\n7,blue,8.5\n"
ROWS = "a,c\n0.5,red\n3.5,blue\n9,red\n"
SETTINGS = ["mean_net.hidden=8", "sigma_net.hidden=8", "train.epochs=200", "augment.count=8", "calibration.folds=4"]

nomu = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    train, rows = Path(folder, "train.csv"), Path(folder, "x.csv")
    train.write_text(TRAIN)
    rows.write_text(ROWS)
    model = HERE / "model_v1.nomu"
    options = [part for setting in SETTINGS for part in ("--set", setting)]
    fit = ["fit", train, "--target", "y", "--preset", "written", "--calibrate", "conformal", "--level", "0.75"]
    subprocess.run([nomu, *fit, *options, "-o", model], check=True)
    subprocess.run([nomu, "predict", model, rows, "-o", HERE / "model_v1.csv"], check=True)
