#!/usr/bin/env python3
"""Tables from the rows of run.py: mean ranks, median regret with quartiles, CPU seconds a suggestion, as Markdown.

benchmarks/optimize/report.py results.csv [more.csv ...] [--half confirmation] [--at 25,50]
"""

import argparse
import csv
import gzip
import statistics
from collections import defaultdict

import problems as p


def read(paths):
    rows = []
    for path in paths:
        with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
            for row in csv.DictReader(file):
                row["trace"] = [float(v) for v in row["trace"].split()]
                row["name"] = row["tool"] + (f"@{row['revision']}" if row["revision"] else "")
                rows.append(row)
    return rows


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    order = sorted(values, key=lambda name: values[name])
    result, k = {}, 0
    while k < len(order):
        same = [name for name in order[k:] if values[name] == values[order[k]]]
        for name in same:
            result[name] = k + (len(same) + 1) / 2
        k += len(same)
    return result


def chosen(paths, batch, tools=""):
    """The rows with this size of batches, of these tools (all if empty)."""
    rows = [r for r in read(paths) if int(r["batch"]) == batch]
    return [r for r in rows if not tools or r["name"] in tools.split(",")]


def least_values(rows):
    """The optimum of every problem; where it is not known, the least value that any tool has found."""
    return {q.name: q.optimum if q.optimum is not None else
            min((r["trace"][-1] for r in rows if r["problem"] == q.name), default=0.0) for q in p.problems().values()}


def shared_seeds(rows, problem, tools):
    """The seeds of a problem that all tools have."""
    found = [{int(r["seed"]) for r in rows if r["name"] == tool and r["problem"] == problem} for tool in tools]
    return sorted(set.intersection(*found)) if found else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--half", default="both", choices=["development", "confirmation", "both"])
    parser.add_argument("--at", default="25,50")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tools", default="", help="only these, as the table calls them")
    given = parser.parse_args()
    rows = chosen(given.files, given.batch, given.tools)
    all_problems = p.problems()
    tools = sorted({r["name"] for r in rows})
    least = least_values(rows)
    table = {(r["name"], r["problem"], int(r["seed"])): r for r in rows}
    cpu = defaultdict(list)
    for r in rows:
        cpu[r["name"]].append(float(r["cpu"]))
    for at in map(int, given.at.split(",")):
        print(f"\n## After {at} evaluations\n\nMedian regret (quartiles), seeds that all tools have; the best is bold.\n")
        print("| problem | " + " | ".join(tools) + " |\n| --- " * 1 + "| --- " * len(tools) + "|")
        sums, used = defaultdict(list), 0
        for q in all_problems.values():
            if given.half not in ("both", q.half):
                continue
            seeds = shared_seeds(rows, q.name, tools)
            if not seeds:
                continue
            used += len(seeds)
            regret = {t: [max(table[t, q.name, s]["trace"][at - 1] - least[q.name], 0.0) for s in seeds] for t in tools}
            for k in range(len(seeds)):
                for tool, rank in ranks({t: regret[t][k] for t in tools}).items():
                    sums[tool].append(rank)
            median = {t: statistics.median(regret[t]) for t in tools}
            cells = []
            for t in tools:
                low, high = median[t], median[t]
                if len(seeds) > 1:
                    low, high = statistics.quantiles(regret[t], n=4, method="inclusive")[::2]
                text = f"{median[t]:.3g} ({low:.2g}-{high:.2g})"
                cells.append(f"**{text}**" if median[t] == min(median.values()) else text)
            print(f"| {q.name} | " + " | ".join(cells) + " |")
        print("| mean rank | " + " | ".join(f"{statistics.mean(sums[t]):.2f}" if sums[t] else "-" for t in tools) + " |")
    print("\nCPU seconds a suggestion: " + ", ".join(f"{t} {statistics.mean(cpu[t]):.3f}" for t in tools))


if __name__ == "__main__":
    main()
