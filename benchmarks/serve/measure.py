#!/usr/bin/env python3
"""What `nomu serve` and shared fits cost, measured.

usage: benchmarks/serve/measure.py TOOL page [--trials 100000] [--watchers 50]
       benchmarks/serve/measure.py TOOL ask [--workers 16] [--via processes|serve] [--store ADDRESS]
       NOMU_TEST_POSTGRES_FSYNC=on tests/postgres/with_server benchmarks/serve/measure.py TOOL throughput [--clients 16]

`page`: a study of 10 variables; first view of the page, its size, the memory of the server, and how long a tell by another
process takes alone and beside so many people who watch: each has a stream of events and fetches what changed, as the page
does, from a process of its own. The page is loaded as a browser does, without compression. `ask`: 10 variables, 100
results, the default model; every worker tells a result and asks again, five times, and each ask is timed. `throughput`:
completed trials a second of random sampling through one server, 10,000 trials already there.
"""

import argparse
import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

VARIABLES = 10
SPACE = "".join(f'[[variables]]\nname = "x{k}"\nlow = 0\nhigh = 1\n' for k in range(VARIABLES)) + "[study]\nlease = 600\n"


class Client:
    """One connection that stays open."""

    def __init__(self, url: str):
        address = urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=300)

    def request(self, path: str, body: object = None) -> bytes:
        data = None if body is None else json.dumps(body)
        self.connection.request("GET" if body is None else "POST", path, data, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(text)
        return text

    def post(self, path: str, body: object) -> dict:
        return json.loads(self.request(path, body))


class Server:
    def __init__(self, tool: str, study: str):
        self.process = subprocess.Popen([tool, "serve", study, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)

    def memory_mb(self) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def new(tool: str, study: str, folder: Path, *settings: str) -> None:
    (folder / "space.toml").write_text(SPACE)
    words = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([tool, "optimize", "new", study, "--space", folder / "space.toml", *words], check=True, capture_output=True)


def value_of(point: dict) -> float:
    return sum((point[f"x{k}"] - 0.1 * k) ** 2 for k in range(VARIABLES))


def fill(url: str, count: int) -> None:
    client = Client(url)
    for _ in range(count // 500):
        asked = client.post("/api/ask", {"count": 500})["trials"]
        client.post("/api/tell", {"results": [{"id": t["id"], "value": value_of(t["point"])} for t in asked]})


def writers(tool: str, study: str, count: int) -> list[float]:
    """Seconds of each tell by a process beside the server, told many times by one that stays open: a second server."""
    with Server(tool, study) as other:
        client, times = Client(other.url), []
        for _ in range(count):
            trial = client.post("/api/ask", {})["trials"][0]
            begin = time.monotonic()
            client.post("/api/tell", {"id": trial["id"], "value": value_of(trial["point"])})
            times.append(time.monotonic() - begin)
    return times


def measure_page(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        study = str(Path(name) / "many.db")
        new(arguments.tool, study, Path(name), "method=random")
        with Server(arguments.tool, study) as server:
            fill(server.url, arguments.trials)
        alone = writers(arguments.tool, study, 300)
        with Server(arguments.tool, study) as server:
            begin = time.monotonic()
            page = Client(server.url).request("/")
            for more in ("/live.css", "/live.js"):
                page += Client(server.url).request(more)
            seconds = time.monotonic() - begin
            command = [sys.executable, __file__, arguments.tool, "watch", "--url", server.url, "--watchers", str(arguments.watchers)]
            times: dict[bool, list[float]] = {False: alone, True: []}
            seen = 0
            for round in range(2 * arguments.rounds):
                watched = round % 2 == 0
                if watched:
                    watching = subprocess.Popen(["nice", "-n", "5", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                    watching.stdout.readline()
                times[watched] += writers(arguments.tool, study, 300)
                if watched:
                    seen += int(watching.communicate("\n")[0])
            beside, alone = statistics.median(times[True]), statistics.median(times[False])
            print(f"{arguments.trials} trials: first view {seconds:.2f} s, {len(page) / 1000:.0f} kB, memory {server.memory_mb():.0f} MB; "
                  f"a tell {1000 * alone:.2f} ms alone, {1000 * beside:.2f} ms beside {arguments.watchers} who watch ({beside / alone:.2f} "
                  f"times), who fetched {seen} changes")


async def one_watcher(url: str, counts: list[int], following: asyncio.Semaphore) -> None:
    """A page: a stream of events, and a connection by which it fetches what has changed, twice a second at most."""
    address, state = urlsplit(url), {"event": -1, "model": -1}

    async def connection(path: str, keep: bool) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=1 << 22)
        if keep:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    stream, _ = await connection("/api/events", True)
    reader, writer = await connection("", False)
    following.release()
    while True:
        line = await stream.readline()
        if not line.startswith(b"data: "):
            continue
        writer.write(f"GET /parts?event={state['event']}&model={state['model']} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(int(field.split(":")[1]) for field in head.split("\r\n") if field.startswith("content-length:"))
        body = await reader.readexactly(length)
        state["event"] = int(body[body.index(b'"event":') + 8 :].split(b",")[0])  # reading all of it is the browser's work
        counts[0] += 1
        await asyncio.sleep(0.5)


async def watch(arguments: argparse.Namespace) -> None:
    counts, following = [0], asyncio.Semaphore(0)
    tasks = [asyncio.create_task(one_watcher(arguments.url, counts, following)) for _ in range(arguments.watchers)]
    for _ in tasks:
        await following.acquire()
    print("following", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    failed = [task.exception() for task in tasks if task.done()]
    print(counts[0], flush=True)
    os._exit(1 if failed else 0)


def measure_ask(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        study = arguments.store or str(Path(name) / "asked.db")
        new(arguments.tool, study, Path(name), *arguments.set)
        results = subprocess.run([arguments.tool, "optimize", "ask", study, "--count", "20", "--json"], check=True, capture_output=True, text=True)
        trials = json.loads(results.stdout)
        lines = [json.dumps({"id": t["id"], "value": value_of(t["point"])}) for t in trials]
        seed = [json.dumps({"point": {f"x{k}": (37 * i + 11 * k * i) % 101 / 101 for k in range(VARIABLES)}, "value": 0.0}) for i in range(1, 81)]
        seed = [json.dumps({**json.loads(line), "value": value_of(json.loads(line)["point"])}) for line in seed]
        subprocess.run([arguments.tool, "optimize", "tell", study, "--lines"], check=True, capture_output=True, text=True, input="\n".join(lines + seed) + "\n")
        times: list[float] = []

        def by_processes(_: int) -> None:
            for _ in range(5):
                begin = time.monotonic()
                asked = subprocess.run([arguments.tool, "optimize", "ask", study, "--json"], check=True, capture_output=True, text=True)
                times.append(time.monotonic() - begin)
                trial = json.loads(asked.stdout)
                trial = trial[0] if isinstance(trial, list) else trial
                subprocess.run([arguments.tool, "optimize", "tell", study, str(trial["id"]), str(value_of(trial["point"]))], check=True, capture_output=True)

        def by_server(url: str) -> None:
            client = Client(url)
            for _ in range(5):
                begin = time.monotonic()
                trial = client.post("/api/ask", {})["trials"][0]
                times.append(time.monotonic() - begin)
                client.post("/api/tell", {"id": trial["id"], "value": value_of(trial["point"])})

        with ThreadPoolExecutor(arguments.workers) as pool:
            if arguments.via == "serve":
                with Server(arguments.tool, study) as server:
                    list(pool.map(by_server, [server.url] * arguments.workers))
            else:
                list(pool.map(by_processes, range(arguments.workers)))
        verified = subprocess.run([arguments.tool, "optimize", "verify", study, "--quick"], check=False, capture_output=True, text=True)
        print(f"{arguments.workers} workers by {arguments.via}: ask median {statistics.median(times):.2f} s, slowest {max(times):.2f} s; {verified.stdout.strip()}")


def measure_throughput(arguments: argparse.Namespace) -> None:
    front = os.environ.get("NOMU_TEST_POSTGRES", "")
    with tempfile.TemporaryDirectory() as name:
        study = f"{front}&study=through" if front else str(Path(name) / "through.db")
        new(arguments.tool, study, Path(name), "method=random")
        with Server(arguments.tool, study) as server:
            fill(server.url, 10000)
            command = [sys.executable, __file__, arguments.tool, "client", "--url", server.url, "--seconds", str(arguments.seconds)]
            clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(arguments.clients)]
            done = sum(int(client.communicate()[0]) for client in clients)
    print(f"{arguments.clients} clients through one server on {'PostgreSQL' if front else 'a file'}: {done / arguments.seconds:.0f} trials/s")


def one_client(arguments: argparse.Namespace) -> None:
    client, done, end = Client(arguments.url), 0, time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        trial = client.post("/api/ask", {})["trials"][0]
        client.post("/api/tell", {"id": trial["id"], "value": next(iter(trial["point"].values()))})
        done += 1
    print(done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("what", choices=["page", "ask", "throughput", "client", "watch"])
    parser.add_argument("--trials", type=int, default=100000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--via", choices=["processes", "serve"], default="processes")
    parser.add_argument("--store", default="")
    parser.add_argument("--set", action="append", default=[], help="a setting of the study, key=value")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--url", default="")
    parser.add_argument("--watchers", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    {"watch": lambda given: asyncio.run(watch(given)), "page": measure_page, "ask": measure_ask, "throughput": measure_throughput, "client": one_client}[arguments.what](arguments)


if __name__ == "__main__":
    main()
