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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--half", default="both", choices=["development", "confirmation", "both"])
    parser.add_argument("--at", default="25,50")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tools", default="", help="only these, as the table calls them")
    given = parser.parse_args()
    rows = [r for r in read(given.files) if int(r["batch"]) == given.batch]
    if given.tools:
        rows = [r for r in rows if r["name"] in given.tools.split(",")]
    all_problems = p.problems()
    tools = sorted({r["name"] for r in rows})
    least = {q.name: q.optimum if q.optimum is not None else
             min((r["trace"][-1] for r in rows if r["problem"] == q.name), default=0.0) for q in all_problems.values()}
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
            seeds = sorted(set.intersection(*[{s for t, n, s in table if t == tool and n == q.name} for tool in tools]))
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
                low, high = statistics.quantiles(regret[t], n=4)[::2] if len(seeds) > 1 else (median[t], median[t])
                text = f"{median[t]:.3g} ({low:.2g}-{high:.2g})"
                cells.append(f"**{text}**" if median[t] == min(median.values()) else text)
            print(f"| {q.name} | " + " | ".join(cells) + " |")
        print("| mean rank | " + " | ".join(f"{statistics.mean(sums[t]):.2f}" if sums[t] else "-" for t in tools) + " |")
    print("\nCPU seconds a suggestion: " + ", ".join(f"{t} {statistics.mean(cpu[t]):.3f}" for t in tools))


if __name__ == "__main__":
    main()
