"""The sections of the report as Markdown."""

from __future__ import annotations

import pandas as pd

from tablebench.catalogue import Table
from tablebench.coverage_law import lowest_coverage
from tablebench.figures import CONSTANTS, METRICS, Comparison
from tablebench.markdown import number, table
from tablebench.ranks import against, ranks


def mean_ranks(comparison: Comparison) -> pd.DataFrame:
    """Mean ranks [methods][metrics], best interval score first."""
    columns = {metric: ranks(comparison.losses(metric)).mean() for metric in METRICS}
    return pd.DataFrame(columns).reindex(comparison.methods).sort_values("interval_score")


def ranks_section(comparison: Comparison) -> str:
    """Mean ranks of all methods, by each metric."""
    ranked = mean_ranks(comparison)
    rows = [[method, *map(float, values)] for method, values in ranked.iterrows()]
    counts = f"{len(comparison.methods)} methods, {len(comparison.tables)} tables, {comparison.splits} splits.\n\n"
    return counts + table(["method", *METRICS.values()], rows)


def against_section(comparison: Comparison, reference: str) -> str:
    """The reference beside each other method, by the metrics that decide."""
    text = ""
    for metric in ("crps", "interval_score", "rmse", "nll"):
        losses = comparison.losses(metric)
        if reference not in losses:
            continue
        rows = [
            [
                one.method,
                one.difference,
                f"{one.low:+.2f} to {one.high:+.2f}",
                one.verdict,
                f"{one.wins} : {one.losses}",
                one.ratio if metric != "nll" else "",
            ]
            for one in against(losses, reference)
        ]
        head = ["method", "rank difference", "95 %", f"{reference} is", "wins : losses", "ratio"]
        text += f"{METRICS[metric]}\n\n{table(head, rows)}\n"
    return text


def constant_section(frame: pd.DataFrame, methods: list[str], tables: list[str]) -> str:
    """Interval score over that of a constant width around the same mean, chosen in three ways."""
    good = frame[frame["status"] == "ok"]
    rows: list[list[object]] = []
    for method in methods:
        means = good[good["method"] == method].groupby("table")[["interval_score", *CONSTANTS]].mean()
        line: list[object] = [method]
        for name in CONSTANTS:
            values = (means["interval_score"] / means[name]).reindex(tables).dropna()
            if values.empty:
                line += ["", "", ""]
                continue
            line += [float(values.median()), f"{int((values < 1).sum())} of {len(values)}"]
            line += [f"{values.max():.2f} ({values.idxmax()})"]
        rows.append(line)
    head = ["method"] + [f"{name.removeprefix('constant_')}: {word}" if word == "median" else word
                         for name in CONSTANTS for word in ("median", "below 1", "largest")]  # fmt: skip
    return table(head, rows)


def coverage_section(frame: pd.DataFrame, method: str, tables: dict[str, Table]) -> str:
    """Coverage of a method beside the law of split conformal bounds, where training and test rows are exchangeable."""
    good = frame[(frame["status"] == "ok") & (frame["method"] == method)]
    rows: list[list[object]] = []
    for name, catalogued in tables.items():
        lines = good[good["table"] == name].sort_values("split")
        if lines.empty:
            continue
        kind = "exchangeable" if catalogued.exchangeable else "new groups" if catalogued.group else "later rows"
        counts = lines["calibration_rows"]
        law = ["" for _ in counts]
        below: object = ""
        if catalogued.exchangeable and counts.notna().all():
            floors = [lowest_coverage(int(n), int(m)) for n, m in zip(counts, lines["test_rows"], strict=True)]
            law = [f"{floor:.3f}" for floor in floors]
            below = int(sum(c < floor for c, floor in zip(lines["coverage"], floors, strict=True)))
        shown = " ".join(f"{c:.3f}" for c in lines["coverage"])
        calibration = "/".join(sorted(set(lines["calibration"].fillna(""))))
        rows.append([name, kind, calibration, number(float(counts.mean())), shown, " ".join(law), below])
    head = ["table", "test rows are", "calibration", "its rows", "coverage", "1 % quantile", "splits below"]
    return table(head, rows)


def per_table_section(frame: pd.DataFrame, methods: list[str], tables: list[str]) -> str:
    """Means over the splits of each table, metric by metric; the best figure is bold."""
    good = frame[frame["status"] == "ok"]
    text = ""
    for metric, title in METRICS.items():
        means = good.pivot_table(index="table", columns="method", values=metric, aggfunc="mean")
        means = means.reindex(index=tables, columns=methods).dropna(axis=1, how="all")
        rows = []
        for name, values in means.iterrows():
            best = values.min() if metric != "coverage" else float("nan")
            rows.append([name, *(f"**{number(float(v))}**" if v == best else float(v) for v in values)])
        text += f"### {title}\n\n{table(['table', *means.columns], rows)}\n"
    return text


def trouble_section(frame: pd.DataFrame) -> str:
    """What has no figures, and which tables the tool got prepared."""
    bad = frame[~frame["status"].isin(["ok", "skipped"])]
    rows = [[r["table"], r["split"], r["method"], r["status"], r["message"]] for _, r in bad.iterrows()]
    text = table(["table", "split", "method", "status", "message"], rows) if rows else "No fit failed.\n"
    prepared = frame[frame["prepared"] == "1"].groupby("method")["table"].unique()
    for method, names in prepared.items():
        text += f"\n{method} refused these tables as they are and got the peers' preparation: {', '.join(names)}.\n"
    return text
