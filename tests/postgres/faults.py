#!/usr/bin/env python3
"""Kills workers and stops the database under them, and checks that nothing that was told is lost.

usage: tests/postgres/with_server tests/postgres/faults.py TOOL [--kills N] [--stops N] [--workers N] [--seed N]

Workers (`nomu optimize run`, leases of 2 s) are killed by SIGKILL at random moments and started again; the server is
stopped at once, as a crash would, and started again. A worker prints a trial when its result has been recorded; what
was printed is the side log. In the end every result of the side log must be in the study with its value, no trial may
be pending beyond its lease, and the study must verify.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPACE = """
[[variables]]
name = "x"
low = 0
high = 1

[study]
method = "random"
lease = 2
"""


class Workers:
    """Processes of `nomu optimize run` whose output goes to files."""

    def __init__(self, tool: str, study: str, folder: Path, count: int):
        self.tool, self.study, self.folder, self.started = tool, study, folder, 0
        self.running = [self.start() for _ in range(count)]

    def start(self) -> subprocess.Popen:
        self.started += 1
        command = [self.tool, "optimize", "run", self.study, "--command", "sleep 0.02; echo {x}", "--patience", "120"]
        with open(self.folder / f"out{self.started}", "w") as out, open(self.folder / f"err{self.started}", "w") as err:
            return subprocess.Popen(command, stdout=out, stderr=err)

    def kill_one(self) -> None:
        index = random.randrange(len(self.running))
        self.running[index].kill()
        self.running[index].wait()
        self.running[index] = self.start()

    def died(self) -> list[str]:
        """Workers that gave up although they had begun; one that was started while the server was away may."""
        outputs = [path for path in self.folder.glob("err*") if path.stat().st_size > 0]
        begun = [path for path in outputs if (self.folder / path.name.replace("err", "out")).stat().st_size > 0]
        return [line for path in begun for line in path.read_text().splitlines() if line.startswith("nomu: ")]

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)  # preemption: running trials go back at once
        for process in self.running:
            process.wait(timeout=30)

    def recorded(self) -> dict[int, str]:
        """What the workers said they had recorded; the last line of a killed one may be cut off."""
        told = {}
        for path in self.folder.glob("out*"):
            for line in path.read_text().splitlines(keepends=True):
                if line.startswith("trial ") and line.endswith("\n"):
                    number, value = line[len("trial ") :].rstrip().split(": ", 1)
                    told[int(number)] = value
        return told


def inject(arguments: argparse.Namespace, workers: Workers, control: str) -> None:
    faults = ["kill"] * arguments.kills + ["stop"] * arguments.stops
    random.shuffle(faults)
    for fault in faults:
        time.sleep(random.uniform(0.0, 0.2))
        if fault == "kill":
            workers.kill_one()
        else:
            subprocess.run([control, "stop"], check=True)
            time.sleep(random.uniform(0.0, 0.5))
            subprocess.run([control, "start"], check=True)


def problems_of(tool: str, study: str, told: dict[int, str]) -> list[str]:
    listed = subprocess.run([tool, "optimize", "list", study, "--all", "--json"], check=True, capture_output=True, text=True)
    trials = {trial["id"]: trial for trial in map(json.loads, listed.stdout.splitlines())}
    wrong = [f"trial {number}: {value} was told, the study has {trials.get(number)}" for number, value in told.items()
             if number not in trials or repr(trials[number].get("value")) != repr(float(value))]
    if sorted(trials) != list(range(1, len(trials) + 1)):
        wrong.append("the numbers of the trials have gaps")
    points = [json.dumps(trial["point"]) for trial in trials.values()]
    if len(set(points)) != len(points):
        wrong.append("a point was handed out twice")
    verified = subprocess.run([tool, "optimize", "verify", study], capture_output=True, text=True)
    if verified.returncode != 0:
        wrong.append(f"verify: {verified.stdout}{verified.stderr}")
    return wrong


def drain(tool: str, study: str) -> list[str]:
    """Trials of killed workers come back when their leases end: one worker finishes all that are pending."""
    time.sleep(2.5)
    status = json.loads(subprocess.run([tool, "optimize", "status", study, "--json"], check=True, capture_output=True, text=True).stdout)
    if status["pending"] != status["expired"]:
        return [f"{status['pending']} trials are pending, {status['expired']} of them with an expired lease"]
    subprocess.run([tool, "optimize", "budget", study, str(status["trials"])], check=True, capture_output=True)
    if status["pending"] > 0:
        subprocess.run([tool, "optimize", "run", study, "--command", "echo {x}"], check=True, capture_output=True)
    status = json.loads(subprocess.run([tool, "optimize", "status", study, "--json"], check=True, capture_output=True, text=True).stdout)
    return [] if status["pending"] == 0 else [f"{status['pending']} trials are stuck"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--kills", type=int, default=12, help="SIGKILLs of workers")
    parser.add_argument("--stops", type=int, default=2, help="immediate stops of the server")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    front = os.environ.get("NOMU_TEST_POSTGRES", "")
    if not front:
        print("skipped: no PostgreSQL server; run it by tests/postgres/with_server")
        return 77
    random.seed(arguments.seed)
    study = f"{front}&study=faults"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "space.toml").write_text(SPACE)
        subprocess.run([arguments.tool, "optimize", "new", study, "--space", folder / "space.toml"], check=True, capture_output=True)
        workers = Workers(arguments.tool, study, folder, arguments.workers)
        try:
            time.sleep(1.0)
            inject(arguments, workers, os.environ["NOMU_TEST_POSTGRES_CONTROL"])
            time.sleep(1.0)
            wrong = workers.died()  # before they are stopped, which they report
        finally:
            workers.stop()
        told = workers.recorded()
        wrong += drain(arguments.tool, study) + problems_of(arguments.tool, study, told)
    print(f"{arguments.kills} kills, {arguments.stops} stops, {len(told)} results told: {len(wrong)} problems")
    for problem in wrong[:20]:
        print(f"  {problem}")
    return 1 if wrong or not told else 0


if __name__ == "__main__":
    sys.exit(main())
