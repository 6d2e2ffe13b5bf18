"""Writes corpus/model/*.nomu, small files of every method and kind of model: make_model_seeds.py PATH_TO_NOMU

Fuzzing starts from them. Make them anew when the format gains something, so that the addition is fuzzed, too.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus" / "model"
NETWORK = HERE.parent / "golden" / "onnx" / "torch_relu.onnx"
ROWS = 24
NET = ["net.hidden=3", "train.epochs=3"]
NOMU = ["mean_net.hidden=3", "sigma_net.hidden=3", "train.epochs=3", "augment.count=4", "calibration.folds=3"]
EVIDENCE = ["evidence.effort=0.01", "evidence.folds=2", "evidence.penalties=0.3,3", "evidence.noise_penalties=3"]
SMALL = ["evidence.steps=2", "mean_net.hidden=3", "sigma_net.hidden=3", "calibration.folds=3"]
WRITTEN = ["--preset", "written"]


def table() -> str:
    lines = ["a,c,day,open,y,who,w,s"]
    for i in range(ROWS):
        day = "" if i % 9 == 4 else f"2021-{1 + i % 12:02}-{1 + 2 * i % 27:02}"
        a = "" if i % 7 == 3 else f"{(i * 37 % 40) / 4}"
        y = 1 + (i * 13 % 29) / 4
        lines.append(f"{a},{['red', 'blue', ''][i % 3]},{day},{['yes', 'no'][i % 2]},{y},g{i // 2},{1 + i % 2},0.5")
    return "\n".join(lines) + "\n"


def numbers(columns: int) -> str:
    names = [f"x{j}" for j in range(columns)]
    lines = [",".join([*names, "y"])]
    for i in range(ROWS):
        row = [(i * (7 + 2 * j) % 23) / 8 - 1 for j in range(columns)]
        lines.append(",".join(str(v) for v in [*row, sum(row) ** 3 + 1]))
    return "\n".join(lines) + "\n"


# Name of the file: columns to ignore, other options, settings.
OF_TABLES = {
    "evidence_cross": ("who,w,s", ["--noise", "learned", "--calibrate", "conformal", "--level", "0.7"], EVIDENCE + SMALL),
    "evidence_groups": ("w,s", ["--group", "who", "--noise", "learned", "--calibrate", "nll"], EVIDENCE + SMALL),
    "known_noise": ("who,w", [*WRITTEN, "--noise", "s", "--calibrate", "nll"], NOMU),
    "range_weights": ("who,s", [*WRITTEN, "--weight", "w", "--range", "0,inf", "--calibrate", "isotonic", "--level", "0.7"], NOMU),
    "times": ("who,s", [*WRITTEN, "--time", "w", "--calibrate", "coverage", "--level", "0.6"], NOMU),
    "coverage_by": ("who,w,s", [*WRITTEN, "--coverage-by", "open", "--calibrate", "conformal", "--level", "0.5"], NOMU),
    "uncalibrated": ("who,w,s", [*WRITTEN, "--calibrate", "none"], NOMU),
}
OF_NUMBERS = {
    "ann": NET,
    "deep_ensemble": [*NET, "networks=2"],
    "directed": ["mean_net.hidden=3", "bound_net.hidden=3", "train.epochs=3", "augment.count=4"],
    "gp": ["most_steps=3"],
    "hyper_deep_ensemble": [*NET, "networks=2", "candidates=2"],
    "laplace": NET,
    "mc_dropout": ["net.hidden=16", "train.epochs=20", "passes=4", "dropout=0.5"],
    "neural_linear": NET,
    "tube": [f"nomu.{setting}" for setting in NOMU[:4]],
}
# Two targets in one file, the second with a range.
TARGETS = ["--target", "y,w", "--range", "w=0,inf", "--ignore", "who,s,day"]
IMAGE = ["net.image=1,2,3", "net.filters=2", "net.kernel=2", "net.hidden=3", "train.epochs=3", "networks=2"]


def main() -> None:
    nomu = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        texts = {"table": table(), "two": numbers(2), "image": numbers(6)}
        files = {name: Path(folder, f"{name}.csv") for name in texts}
        for name, path in files.items():
            path.write_text(texts[name])

        def run(*arguments: object, settings: list[str]) -> None:
            options = [part for setting in settings for part in ("--set", setting)]
            target = [] if "--target" in arguments else ["--target", "y"]
            subprocess.run([nomu, *arguments, *target, *options], check=True, stdout=subprocess.DEVNULL)

        for name, (ignored, options, settings) in OF_TABLES.items():
            run("fit", files["table"], *options, "--ignore", ignored, "-o", CORPUS / f"{name}.nomu", settings=settings)
        # targets.nomu is a file of format 2, which repeats the rows with every model; this version writes format 3.
        joint = [*TARGETS, *WRITTEN, "--calibrate", "conformal", "--level", "0.6", "-o", CORPUS / "targets_shared.nomu"]
        run("fit", files["table"], *joint, settings=NOMU)
        for name, settings in OF_NUMBERS.items():
            options = ["--method", name, "--calibrate", "nll", "-o", CORPUS / f"{name}.nomu"]
            run("fit", files["two"], *options, settings=[*settings, "calibration.folds=2"])
        images = ["--method", "deep_ensemble", "--calibrate", "nll", "-o", CORPUS / "image.nomu"]
        run("fit", files["image"], *images, settings=[*IMAGE, "calibration.folds=2"])
        bounds = ["--noise", "learned", "--calibrate", "nll", "-o", Path(folder, "bounds.onnx")]
        run("attach", NETWORK, "--data", files["two"], *bounds, "--model", CORPUS / "attached.nomu", settings=NOMU[:4])


if __name__ == "__main__":
    main()
