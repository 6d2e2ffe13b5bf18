#!/usr/bin/env python3
"""Kills workers and servers, stops the database under them, cuts connections, and checks that nothing told is lost.

usage: tests/postgres/with_server tests/postgres/faults.py TOOL [--kills N] [--stops N] [--workers N] [--cut SECONDS]

Workers (`nomu optimize run`, leases of 2 s) and servers (`nomu serve`, asked and told by clients) are killed by SIGKILL
at random moments and started again; the database is stopped at once, as a crash would, and started again. Half of the
workers reach it through a proxy, which falls silent once (SIGSTOP) and once breaks all connections, for so many seconds
each. A worker prints a trial when its result has been recorded, a client notes it when the server says so: that is the
side log. In the end every result of the side log must be in the study with its value, no trial may have been left lying
long after its lease, every worker behind the proxy must have gone on, and the study must verify, which also says that no
result was recorded twice.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SPACE = """
[[variables]]
name = "x"
low = 0
high = 1

[study]
method = "random"
lease = 2
"""
LONGEST_OVERDUE = 10.0  # seconds after its lease within which a trial is handed out again


class Processes:
    """Processes of the tool that are started again when they die; their output goes to files."""

    def __init__(self, folder: Path, commands: list[list[str]]):
        self.folder, self.commands, self.started = folder, commands, 0
        self.outputs: list[list[Path]] = [[] for _ in commands]  # of each, the latest last
        self.running = [self.start(index) for index in range(len(commands))]

    def start(self, index: int) -> subprocess.Popen:
        self.started += 1
        path = self.folder / f"{type(self).__name__}{self.started}.out"
        self.outputs[index].append(path)
        with open(path, "w") as out, open(path.with_suffix(".err"), "w") as err:
            return subprocess.Popen(self.commands[index], stdout=out, stderr=err)

    def kill(self, index: int) -> None:
        self.running[index].kill()
        self.running[index].wait()
        self.running[index] = self.start(index)

    def revive(self) -> None:
        """A server that is started while the database is away gives up; a worker waits for it."""
        for index, process in enumerate(self.running):
            if process.poll() is not None:
                self.running[index] = self.start(index)

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)  # preemption: running trials go back at once
        for process in self.running:
            process.wait(timeout=60)


class Workers(Processes):
    def __init__(self, tool: str, folder: Path, studies: list[str], patience: float):
        run = "--command", "sleep 0.02; echo {x}", "--patience", str(patience)
        super().__init__(folder, [[tool, "optimize", "run", study, *run] for study in studies])

    def died(self) -> list[str]:
        """What workers that gave up said."""
        errors = [path.with_suffix(".err") for paths in self.outputs for path in paths]
        lines = [line for path in errors for line in path.read_text().splitlines()]
        ended = [f"worker {index} has ended" for index, process in enumerate(self.running) if process.poll() is not None]
        return [line for line in lines if line.startswith("nomu: ")] + ended

    def recorded(self) -> dict[int, str]:
        """What the workers said they had recorded; the last line of a killed one may be cut off."""
        told = {}
        for path in (path for paths in self.outputs for path in paths):
            for line in path.read_text().splitlines(keepends=True):
                if line.startswith("trial ") and line.endswith("\n"):
                    number, value = line[len("trial ") :].rstrip().split(": ", 1)
                    told[int(number)] = value
        return told


class Servers(Processes):
    """Servers, and for each a thread that asks and tells through it."""

    def __init__(self, tool: str, folder: Path, study: str, count: int):
        super().__init__(folder, [[tool, "serve", study, "--port", "0", "--json"]] * count)
        self.told: dict[int, str] = {}
        self.wrong: list[str] = []
        self.ending = threading.Event()
        self.clients = [threading.Thread(target=self.client, args=(index,)) for index in range(count)]
        for client in self.clients:
            client.start()

    def post(self, index: int, path: str, body: object) -> dict:
        line = self.outputs[index][-1].read_text()
        if not line.endswith("\n"):
            raise ConnectionError("the server is being started")
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(json.loads(line)["url"] + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())

    def patiently(self, index: int, path: str, body: object) -> dict | None:
        """Servers die and the database is away; a refusal for another reason is a problem."""
        while not self.ending.is_set():
            try:
                return self.post(index, path, body)
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    self.wrong.append(f"{path} {body}: {error.code} {error.read().decode()}")
                    return None
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        return None

    def client(self, index: int) -> None:
        while not self.ending.is_set():
            asked = self.patiently(index, "api/ask", {"worker": f"client {index}"})
            for trial in (asked or {}).get("trials", []):
                time.sleep(0.02)
                result = {"id": trial["id"], "value": trial["point"]["x"], "repeated": "accept_equal"}
                if self.patiently(index, "api/tell", result):
                    self.told[trial["id"]] = repr(trial["point"]["x"])

    def stop(self) -> None:
        self.ending.set()
        for client in self.clients:
            client.join()
        super().stop()


class Proxy:
    """Half of the workers reach the database by this."""

    def __init__(self, front: str):
        query = {key: values[0] for key, values in parse_qs(urlsplit(front).query).items()}
        self.socket = f"{query['host']}/.s.PGSQL.5432"
        self.port = ""
        self.start()
        self.front = f"postgresql://{query['user']}@127.0.0.1:{self.port}/studies?sslmode=disable"

    def start(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("proxy.py")), self.socket, *([self.port] if self.port else [])]
        # In a session of its own: a stopped process in ours would end all of us if our parent ended.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.port = self.process.stdout.readline().strip()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def fall_silent(self, seconds: float) -> None:
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def break_off(self, seconds: float) -> None:
        self.stop()
        time.sleep(seconds)
        self.start()


class Overdue:
    """Looks all the time for trials that lie about after their lease has ended, while everybody can reach the database."""

    def __init__(self, tool: str, study: str):
        self.command = [tool, "optimize", "workers", study, "--json"]
        self.longest, self.reachable_since, self.ending = 0.0, time.monotonic(), threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self) -> None:
        while not self.ending.wait(1.0):
            found = subprocess.run(self.command, capture_output=True, text=True, check=False)
            reachable = time.monotonic() - self.reachable_since
            if found.returncode == 0:  # the database may be away
                left = [trial["lease_left"] for worker in json.loads(found.stdout) for trial in worker["trials"]]
                self.longest = max([self.longest, *(min(-seconds, reachable) for seconds in left)])

    def interrupted(self) -> None:
        """Nobody, or not everybody, could reach the database until now."""
        self.reachable_since = time.monotonic()

    def stop(self) -> list[str]:
        self.ending.set()
        self.thread.join()
        return [f"a trial was left lying for {self.longest:.1f} s after its lease"] if self.longest > LONGEST_OVERDUE else []


def inject(arguments: argparse.Namespace, workers: Workers, servers: Servers, overdue: Overdue) -> None:
    control = os.environ["NOMU_TEST_POSTGRES_CONTROL"]
    faults = ["kill"] * arguments.kills + ["stop"] * arguments.stops
    random.shuffle(faults)
    for fault in faults:
        time.sleep(random.uniform(0.0, 0.2))
        if fault == "kill":
            index = random.randrange(len(workers.running) + len(servers.running))
            if index < len(workers.running):
                workers.kill(index)
            else:
                servers.kill(index - len(workers.running))
        else:
            subprocess.run([control, "stop"], check=True)
            time.sleep(random.uniform(0.0, 0.5))
            subprocess.run([control, "start"], check=True)
            overdue.interrupted()
        servers.revive()


def cut(arguments: argparse.Namespace, proxy: Proxy, workers: Workers, overdue: Overdue) -> list[str]:
    """Cuts the connections of half of the workers in two ways; returns what did not go on after it."""
    wrong = []
    time.sleep(2.0)
    for how in (proxy.fall_silent, proxy.break_off):
        before = list(workers.running)
        overdue.reachable_since = float("inf")  # a client that is cut off inside a change keeps others waiting for 5 s
        how(arguments.cut)
        overdue.interrupted()
        sizes = [paths[-1].stat().st_size for paths in workers.outputs]
        end = time.monotonic() + 90
        while time.monotonic() < end and any(paths[-1].stat().st_size == size for paths, size in zip(workers.outputs, sizes, strict=True)):
            time.sleep(0.2)
        for index, (process, size) in enumerate(zip(before, sizes, strict=True)):
            if process.poll() is not None or workers.outputs[index][-1].stat().st_size == size:
                wrong.append(f"worker {index} did not go on after {how.__name__} for {arguments.cut} s")
    return wrong


def status_of(tool: str, study: str) -> dict:
    return json.loads(subprocess.run([tool, "optimize", "status", study, "--json"], check=True, capture_output=True, text=True).stdout)


def drain(tool: str, study: str) -> list[str]:
    """Trials of killed workers come back when their leases end: one worker stays for them. Those of clients of the servers it
    takes over if their leases, of 2 s, have ended."""
    time.sleep(2.5)
    subprocess.run([tool, "optimize", "budget", study, str(status_of(tool, study)["trials"])], check=True, capture_output=True)
    subprocess.run([tool, "optimize", "run", study, "--command", "echo {x}"], check=True, capture_output=True, timeout=60)
    status = status_of(tool, study)
    return [] if status["pending"] == 0 else [f"{status['pending']} trials are stuck"]


def problems_of(tool: str, study: str, told: dict[int, str]) -> list[str]:
    listed = subprocess.run([tool, "optimize", "list", study, "--all", "--json"], check=True, capture_output=True, text=True)
    trials = {trial["id"]: trial for trial in map(json.loads, listed.stdout.splitlines())}
    wrong = [f"trial {number}: {value} was told, the study has {trials.get(number)}" for number, value in told.items()
             if number not in trials or repr(trials[number].get("value")) != repr(float(value))]
    if sorted(trials) != list(range(1, len(trials) + 1)):
        wrong.append("the numbers of the trials have gaps")
    points = [json.dumps(trial["point"]) for trial in trials.values()]
    if len(set(points)) != len(points):
        wrong.append("a point was handed out as two trials")
    verified = subprocess.run([tool, "optimize", "verify", study], capture_output=True, text=True, check=False)
    if verified.returncode != 0:
        wrong.append(f"verify: {verified.stdout}{verified.stderr}")
    return wrong


def attack(arguments: argparse.Namespace, front: str, study: str, folder: Path) -> tuple[dict[int, str], list[str], str]:
    proxy = Proxy(front)
    direct, cut_off = study, f"{proxy.front}&study=faults"
    studies = [direct if number % 2 else cut_off for number in range(arguments.workers)]
    workers = Workers(arguments.tool, folder, studies, max(120.0, 2 * arguments.cut))
    servers = Servers(arguments.tool, folder, study, arguments.servers)
    overdue = Overdue(arguments.tool, study)
    wrong: list[str] = []
    try:
        time.sleep(1.0)
        if arguments.cut > 0:
            wrong += cut(arguments, proxy, workers, overdue)
        inject(arguments, workers, servers, overdue)
        time.sleep(3.0)
        wrong += workers.died()  # before they are stopped, which they report
    finally:
        wrong += overdue.stop()
        workers.stop()
        servers.stop()
        proxy.stop()
    by_workers, by_servers = workers.recorded(), servers.told
    if not by_workers or (servers.running and not by_servers):
        wrong.append(f"{len(by_workers)} results by workers, {len(by_servers)} by servers: too few to mean anything")
    counts = f"{len(by_workers)} results told by workers, {len(by_servers)} through servers, a trial at most {overdue.longest:.1f} s overdue"
    return {**by_workers, **by_servers}, wrong + servers.wrong, counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--kills", type=int, default=12, help="SIGKILLs of workers and of servers")
    parser.add_argument("--stops", type=int, default=2, help="immediate stops of the database")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--servers", type=int, default=2, help="of nomu serve")
    parser.add_argument("--cut", type=float, default=3.0, help="seconds for which connections are cut; 0: not")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    front = os.environ.get("NOMU_TEST_POSTGRES", "")
    if not front:
        print("skipped: no PostgreSQL server; run it by tests/postgres/with_server")
        return 77
    if "without cpp-httplib" in subprocess.run([arguments.tool, "serve", "none"], capture_output=True, text=True, check=False).stderr:
        arguments.servers = 0
    random.seed(arguments.seed)
    study = f"{front}&study=faults"
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "space.toml").write_text(SPACE)
        subprocess.run([arguments.tool, "optimize", "new", study, "--space", folder / "space.toml"], check=True, capture_output=True)
        told, wrong, counts = attack(arguments, front, study, folder)
        wrong += drain(arguments.tool, study) + problems_of(arguments.tool, study, told)
    print(f"{arguments.kills} kills, {arguments.stops} stops, {arguments.workers} workers, {arguments.servers} servers, "
          f"cut for {arguments.cut:g} s twice: {counts}; {len(wrong)} problems ({time.monotonic() - begin:.0f} s)")
    for problem in wrong[:20]:
        print(f"  {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
