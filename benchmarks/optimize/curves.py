#!/usr/bin/env python3
"""Draws median regret with quartiles against evaluations, a small panel for each problem, as SVG.

benchmarks/optimize/curves.py results.csv [more.csv ...] -o curves.svg
"""

import argparse
import math
import statistics

import problems as p

import report

COLORS = ["#0b5fa5", "#c8472c", "#3c8f4b", "#8a5bb0", "#7a7a7a", "#c99a1d"]
WIDTH, HEIGHT, LEFT, TOP, ACROSS = 230, 150, 46, 24, 4
LEAST = 1e-6  # regret below this is drawn as this


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def panel(name, regrets, colors):
    """Axes, bands and medians of one problem; `regrets` {tool: [seed][evaluation]}."""
    bands = {}
    for tool, runs in regrets.items():
        bands[tool] = [[max(v, LEAST) for v in quartiles(at)] for at in zip(*runs)]
    values = [v for band in bands.values() for at in band[4:] for v in at]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    count = max(len(band) for band in bands.values())

    def x(k):
        return LEFT + (WIDTH - LEFT - 8) * k / (count - 1)

    def y(v):
        share = (min(max(math.log10(v), low), high) - low) / (high - low)
        return HEIGHT - 18 - (HEIGHT - 18 - TOP) * share

    parts = [f'<text x="{LEFT}" y="{TOP - 8}" class="name">{name}</text>']
    for power in range(low, high + 1, max(1, (high - low) // 4)):
        at = y(10.0**power)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 8}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{at + 3:.1f}" class="tick" text-anchor="end">1e{power}</text>')
    for k in (0, count // 2 - 1, count - 1):
        parts.append(f'<text x="{x(k):.1f}" y="{HEIGHT - 5}" class="tick" text-anchor="middle">{k + 1}</text>')
    for tool, band in bands.items():
        upper = " ".join(f"{x(k):.1f},{y(at[2]):.1f}" for k, at in enumerate(band))
        lower = " ".join(f"{x(k):.1f},{y(at[0]):.1f}" for k, at in reversed(list(enumerate(band))))
        middle = " ".join(f"{x(k):.1f},{y(at[1]):.1f}" for k, at in enumerate(band))
        parts.append(f'<polygon points="{upper} {lower}" fill="{colors[tool]}" opacity="0.12"/>')
        parts.append(f'<polyline points="{middle}" fill="none" stroke="{colors[tool]}" stroke-width="1.5"/>')
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--out", default="curves.svg")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tools", default="", help="only these, as the table calls them")
    given = parser.parse_args()
    rows = report.chosen(given.files, given.batch, given.tools)
    least = report.least_values(rows)
    tools = sorted({row["name"] for row in rows})
    colors = {tool: COLORS[k % len(COLORS)] for k, tool in enumerate(tools)}
    drawn = []
    for name in p.problems():
        seeds = report.shared_seeds(rows, name, tools)
        if not seeds:
            continue
        regrets = {tool: [[max(v - least[name], 0.0) for v in row["trace"]] for row in rows
                          if row["name"] == tool and row["problem"] == name and int(row["seed"]) in seeds]
                   for tool in tools}
        drawn.append(panel(name, regrets, colors))
    across, down = min(ACROSS, len(drawn)), -(-len(drawn) // ACROSS)
    width, height = across * WIDTH, down * HEIGHT + 30
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
            "<style>text{font-family:sans-serif;fill:#333}.name{font-size:11px;font-weight:bold}.tick{font-size:8px}"
            ".grid{stroke:#ddd;stroke-width:0.5}.key{font-size:11px}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for k, parts in enumerate(drawn):
        text.append(f'<g transform="translate({k % ACROSS * WIDTH},{30 + k // ACROSS * HEIGHT})">' + "".join(parts) + "</g>")
    for k, tool in enumerate(tools):
        text.append(f'<rect x="{LEFT + 150 * k}" y="9" width="12" height="12" fill="{colors[tool]}"/>'
                    f'<text x="{LEFT + 16 + 150 * k}" y="19" class="key">{tool}</text>')
    text.append("</svg>\n")
    with open(given.out, "w") as file:
        file.write("\n".join(text))
    print(f"{given.out}: {len(drawn)} problems")


if __name__ == "__main__":
    main()
