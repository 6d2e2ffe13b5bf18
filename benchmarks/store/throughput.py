#!/usr/bin/env python3
"""Completed trials a second of a study in PostgreSQL, beside pgbench and Optuna on the same server.

usage: NOMU_TEST_POSTGRES_FSYNC=on tests/postgres/with_server benchmarks/store/throughput.py BENCH_STORE
           [--clients 16] [--seconds 10] [--rounds 3] [--before 10000] [--tool NOMU] [--optuna PYTHON]

Random sampling, 10,000 trials already there, runs in turns. pgbench repeats two durable transactions a trial: insert a
trial and an event, update the trial and insert an event, with nobody waiting for anybody. With NOMU, the same
through one `nomu serve`, by clients in Python over HTTP. PYTHON is an interpreter with optuna and psycopg2. Prints one line a round and the ratios of the medians.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
import measure  # noqa: E402

TABLES = ("CREATE TABLE bare_trials(id bigserial PRIMARY KEY, state int NOT NULL DEFAULT 0, point text NOT NULL, value float8)",
          "CREATE TABLE bare_events(number bigserial PRIMARY KEY, kind text NOT NULL, body text NOT NULL)",
          "INSERT INTO bare_trials(point, value, state) SELECT 'x', 1, 1 FROM generate_series(1, 10000)")
OPTUNA = """
import sys, time, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
url, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
study = optuna.load_study(study_name=name, storage=url, sampler=optuna.samplers.RandomSampler())
end = time.monotonic() + seconds
done = 0
while time.monotonic() < end:
    trial = study.ask()
    for k in range(5):
        trial.suggest_float(f"x{k}", 0, 1)
    study.tell(trial, trial.params["x0"])
    done += 1
print(done)
"""
OPTUNA_FILL = """
import sys, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(study_name=sys.argv[2], storage=sys.argv[1])
ranges = {f"x{k}": optuna.distributions.FloatDistribution(0, 1) for k in range(5)}
make = lambda i: optuna.trial.create_trial(params={name: 0.5 for name in ranges}, distributions=ranges, value=float(i))
study.add_trials([make(i) for i in range(int(sys.argv[3]))])
"""


def output(*command: object, **more: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


def programs() -> Path:
    return sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]


def pgbench(socket: str, arguments: argparse.Namespace) -> float:
    text = output(programs() / "pgbench", "-h", socket, "-U", "nomu", "-n", "-c", arguments.clients, "-j", 2, "-T",
                  arguments.seconds, "-f", HERE / "two_transactions.sql", "studies")
    return float(re.search(r"tps = ([0-9.]+)", text).group(1))


def served(place: str, arguments: argparse.Namespace) -> float:
    """The study is there already, with its trials."""
    with measure.Server(arguments.tool, place) as server:
        command = [sys.executable, measure.__file__, arguments.tool, "client", "--url", server.url, "--seconds", str(arguments.seconds)]
        clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(arguments.clients)]
        return sum(int(client.communicate()[0]) for client in clients) / arguments.seconds


def optuna(socket: str, arguments: argparse.Namespace, first: bool) -> float:
    """All rounds go on in one study: filling it takes minutes."""
    url, name = f"postgresql+psycopg2://nomu@/studies?host={socket}", "optuna"
    if first:
        output(arguments.optuna, "-c", OPTUNA_FILL, url, name, arguments.before)
    clients = [subprocess.Popen([arguments.optuna, "-c", OPTUNA, url, name, str(arguments.seconds)], stdout=subprocess.PIPE, text=True)
               for _ in range(arguments.clients)]
    return sum(int(client.communicate()[0]) for client in clients) / arguments.seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program bench_store, built with NOMU_BUILD_BENCHMARKS")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=int, default=10000)
    parser.add_argument("--tool", metavar="NOMU")
    parser.add_argument("--optuna", metavar="PYTHON")
    arguments = parser.parse_args()
    arguments.seconds = int(arguments.seconds) if arguments.seconds == int(arguments.seconds) else arguments.seconds
    front = os.environ.get("NOMU_TEST_POSTGRES", "")
    if not front:
        sys.exit("no PostgreSQL server; run it by tests/postgres/with_server")
    socket = parse_qs(urlsplit(front).query)["host"][0]
    for statement in TABLES:
        output(programs() / "psql", "-h", socket, "-U", "nomu", "-d", "studies", "-c", statement)
    rates: dict[str, list[float]] = {"nomu": [], "serve": [], "pgbench": [], "optuna": []}
    for number in range(arguments.rounds):
        place = f"{front}&study=throughput{number}"
        rates["nomu"].append(float(output(arguments.program, place, arguments.clients, arguments.seconds, arguments.before)))
        if arguments.tool:
            rates["serve"].append(served(place, arguments))
        rates["pgbench"].append(pgbench(socket, arguments))
        if arguments.optuna:
            rates["optuna"].append(optuna(socket, arguments, number == 0))
        print(", ".join(f"{name} {values[-1]:.0f}/s" for name, values in rates.items() if values), flush=True)
    middle = {name: statistics.median(values) for name, values in rates.items() if values}
    for other in ("pgbench", "optuna"):
        if other in middle:
            print(f"nomu / {other}: {middle['nomu'] / middle[other]:.2f}")
    if "serve" in middle:
        print(f"serve / nomu: {middle['serve'] / middle['nomu']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
