"""Side by side in Python: the same activations by actgen and by other libraries, their time and their error.

    python bench/python/side_by_side.py measure --threads 1 --json one.json     # minutes; torch.compile takes most of them
    python bench/python/side_by_side.py table one.json two.json                 # Markdown
    python bench/python/side_by_side.py picture one.json -o docs/python.svg

Times are the least of many slices, contestants in turn. `--threads 1` keeps the whole process on one processor. A library that is
not installed is left out, and said so. `max ulp` is that of 100,000 x in [-20, 20] (other operands: N(0, 1)), against kernels of
actgen in float64.
"""

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from contestants import CONTESTANTS, FUNCTIONS, Case, Missing

import actgen

SLICE = 0.004  # seconds, at least, of a slice
COLOURS = dict(
    zip(
        CONTESTANTS,
        ("#0b6e4f", "#3a9d5d", "#6bbf59", "#d1495b", "#edae49", "#30638e", "#7d7d7d", "#a06cd5", "#00798c"),
        strict=True,
    )
)


def dtype_of(name: str) -> Any:
    """NumPy's dtype."""
    if name == "float32":
        return np.dtype(np.float32)
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def inputs_of(case: Case, n: int, wide: bool) -> list[np.ndarray]:
    """Operands: x is N(0, 2), or even over [-20, 20]; the others N(0, 1)."""
    random = np.random.default_rng(n)
    first = np.linspace(-20, 20, n) if wide else 2 * random.standard_normal(n, np.float32)
    others = [random.standard_normal(n, np.float32) for _ in range(case.inputs - 1)]
    return [a.astype(dtype_of(case.dtype)) for a in (first, *others)]


def ulps(values: Any, true: np.ndarray, dtype: str) -> float:
    """The largest error in ulps of the true value; NaN counts as infinite."""
    digits, least = (23, -126) if dtype == "float32" else (7, -126)
    exponent = np.maximum(np.frexp(np.abs(true))[1] - 1, least)
    error = np.abs(np.asarray(values, np.float64) - true) / np.ldexp(1.0, exponent - digits)
    return float(np.nan_to_num(error, nan=np.inf).max())


def plain(result: Any) -> list[np.ndarray]:
    """Results as NumPy's arrays of float64."""
    many = result if isinstance(result, (tuple, list)) else (result,)
    return [np.asarray(r.float().numpy() if hasattr(r, "data_ptr") else r).astype(np.float64) for r in many]


def error_of(function: Callable[..., Any], convert: Callable[[np.ndarray], Any], case: Case) -> float:
    """The largest error of a contestant."""
    arrays = inputs_of(case, 100_000, wide=True)
    truth = actgen.compile(case.function, dtype="float64")
    truth = truth.gradient() if case.is_gradient else truth
    true = plain(truth(*(a.astype(np.float64) for a in arrays)))
    found = plain(function(*(convert(a) for a in arrays)))
    return max(ulps(f, t, case.dtype) for f, t in zip(found, true, strict=True))


def first_in_line(wanted: bool) -> None:
    """Lets all threads of this process run before others while it measures, where it may; else other work is measured, too."""
    for task in os.listdir("/proc/self/task"):
        try:
            os.sched_setscheduler(int(task), os.SCHED_FIFO if wanted else os.SCHED_OTHER, os.sched_param(10 * wanted))
        except (PermissionError, ProcessLookupError):
            pass


def time_of(call: Callable[[], Any], count: int) -> float:
    """Seconds of one of `count` calls in a row."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def settle() -> None:
    """Waits until no thread of this process works: those of some pools go on looking for work for a while after their last."""
    for _ in range(30):
        before = time.process_time()
        time.sleep(0.01)  # some ticks of the clock by which the system counts
        if time.process_time() - before < 0.001:
            return


def race(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """The least time of each contestant, all in turn."""
    counts = {}
    for name, call in calls.items():
        call()
        counts[name] = max(1, int(SLICE / max(time_of(call, 1), 1e-7)))
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds * len(calls)
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        for name, call in calls.items():
            settle()
            call()
            best[name] = min(best[name], time_of(call, counts[name]))
        rounds += 1
    return best


def measure(options: argparse.Namespace) -> None:
    """Measures all cases into a file of JSON."""
    if options.threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows: list[dict[str, Any]] = []
    cases = [Case(f, g, d) for d, g, f in itertools.product(options.dtypes, (False, True), options.functions)]
    absent: set[str] = set()
    for case in cases:
        made: dict[str, Any] = {}
        errors: dict[str, float] = {}
        for name, make in CONTESTANTS.items():
            if name not in options.contestants:
                continue
            try:
                made[name] = make(case, options.threads)
                errors[name] = error_of(*made[name], case)
            except ImportError as problem:
                absent.add(f"{name} ({problem})")
            except Missing:
                pass
            except (actgen.Error, TypeError) as problem:  # such as a bound of 1 ulp for a gate's product
                made.pop(name, None)
                print(f"{case.label}: {name}: {str(problem).splitlines()[0]}", file=sys.stderr)
        for n in options.sizes:
            arrays = inputs_of(case, n, wide=False)
            calls = {}
            for name, (function, convert) in made.items():
                own = [convert(a) for a in arrays]
                calls[name] = lambda function=function, own=own: function(*own)
            first_in_line(True)
            best = race(calls, options.seconds)
            first_in_line(False)
            size = dtype_of(case.dtype).itemsize * n * (case.inputs + case.results)
            for name, seconds in best.items():
                rows.append({
                    "function": case.function, "gradient": case.is_gradient, "dtype": case.dtype, "n": n, "by": name,
                    "threads": options.threads, "us": seconds * 1e6, "GB/s": size / seconds / 1e9, "max ulp": errors[name],
                })  # fmt: skip
        Path(options.json).write_text(json.dumps(rows, indent=1))
        print(f"{case.label}: done", file=sys.stderr)
    for text in sorted(absent):
        print(f"left out: {text}", file=sys.stderr)


def read(files: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of several files, functions in the order of FUNCTIONS; of what was measured more than once the least time."""
    best: dict[Any, dict[str, Any]] = {}
    for row in (row for file in files for row in json.loads(Path(file).read_text())):
        key = tuple(row[name] for name in ("dtype", "gradient", "function", "n", "by", "threads"))
        if key not in best or row["us"] < best[key]["us"]:
            best[key] = row
    return sorted(best.values(), key=lambda r: (r["dtype"] != "float32", r["gradient"], FUNCTIONS.index(r["function"])))


def time_text(us: float) -> str:
    """Microseconds, to three digits or whole."""
    return f"{us:,.0f}" if us >= 100 else f"{us:.3g}"


def error_text(value: float) -> str:
    """Short."""
    return "inf" if value == float("inf") else f"{value:.3g}"


def table(options: argparse.Namespace) -> None:
    """Prints a table: times in microseconds at one n, errors in parentheses, what the first contestant reads and writes in a
    second, and what of the goal is met."""
    rows = read(options.files)
    for threads in sorted({row["threads"] for row in rows}):
        for n in options.sizes:
            here = [r for r in rows if r["threads"] == threads and r["n"] == n]
            names = [name for name in CONTESTANTS if any(r["by"] == name for r in here)]
            if not here:
                continue
            print(f"\nn = {n:,}, {threads} thread{'s' * (threads > 1)}: microseconds (max ulp)\n")
            print(f"| | {' | '.join(names)} | {names[0]}, GB/s |\n|---|{'--:|' * (len(names) + 1)}")
            for case in dict.fromkeys(Case(r["function"], r["gradient"], r["dtype"]) for r in here):
                found = {r["by"]: r for r in here if Case(r["function"], r["gradient"], r["dtype"]) == case}
                cells = [
                    f"{time_text(found[b]['us'])} ({error_text(found[b]['max ulp'])})" if b in found else ""
                    for b in names
                ]
                rate = f"{found[names[0]]['GB/s']:.3g}" if names[0] in found else ""
                print(f"| {case.label} | {' | '.join(cells)} | {rate} |")
    print(f"\n{goal(rows)}")


def goal(rows: list[dict[str, Any]]) -> str:
    """From n = 10^4 up, is there a kernel of actgen faster than each contestant, at an error no larger?"""
    met, missed = 0, []
    for row in rows:
        if row["by"].startswith("actgen") or row["n"] < 10_000:
            continue
        same = [r for r in rows if all(r[key] == row[key] for key in ("function", "gradient", "dtype", "n", "threads"))]
        mine = [r["us"] for r in same if r["by"].startswith("actgen") and r["max ulp"] <= row["max ulp"]]
        if mine and min(mine) <= row["us"]:
            met += 1
        else:
            case = Case(row["function"], row["gradient"], row["dtype"])
            ratio = f"{min(mine) / row['us']:.2f} of its time" if mine else f"its error is {row['max ulp']:.3g} ulp"
            missed.append(f"{case.label}, n = {row['n']:,}, {row['threads']} threads, {row['by']}: {ratio}")
    lines = [f"Faster at an error no larger, from n = 10^4: {met} of {met + len(missed)} comparisons."]
    return "\n".join([*lines, *(f"- not: {text}" for text in missed)])


def picture(options: argparse.Namespace) -> None:
    """Draws time per element over n, a panel for each function."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    rows = [r for r in read(options.files) if r["dtype"] == options.dtype and not r["gradient"]]
    functions = [f for f in FUNCTIONS if any(r["function"] == f for r in rows)]
    figure, axes = plt.subplots(
        2, -(-len(functions) // 2), figsize=(13, 6.5), sharex=True, sharey=True, layout="constrained"
    )
    for function, axis in zip(functions, axes.flat):  # noqa: B905 - a panel may be left
        for name in CONTESTANTS:
            points = sorted(
                (r["n"], r["us"] * 1e3 / r["n"]) for r in rows if r["by"] == name and r["function"] == function
            )
            if points:
                width = 2.4 if name.startswith("actgen") else 1.4
                axis.loglog(
                    *zip(*points, strict=True),
                    marker="o",
                    markersize=3,
                    color=COLOURS[name],
                    linewidth=width,
                    label=name,
                )
        axis.set_title(function)
        axis.grid(True, which="major", alpha=0.25)
    spare = list(axes.flat)[len(functions) :]
    known = {
        label: handle for axis in axes.flat for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    for axis in spare:
        axis.axis("off")
    (spare[0] if spare else figure).legend(known.values(), known.keys(), loc="center")
    figure.supxlabel("elements")
    figure.supylabel("ns per element")
    figure.suptitle(f"y = f(x), {options.dtype}, {rows[0]['threads']} thread{'s' * (rows[0]['threads'] > 1)}")
    figure.savefig(options.output)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    m = commands.add_parser("measure")
    m.add_argument("--threads", type=int, default=1)
    m.add_argument("--json", default="side_by_side.json")
    m.add_argument("--functions", type=lambda t: t.split(","), default=list(FUNCTIONS))
    m.add_argument("--contestants", type=lambda t: t.split(","), default=list(CONTESTANTS))
    m.add_argument("--dtypes", type=lambda t: t.split(","), default=["float32", "bfloat16"])
    m.add_argument("--seconds", type=float, default=0.05, help="for each contestant, case and size")
    m.set_defaults(run=measure)
    t = commands.add_parser("table")
    t.set_defaults(run=table)
    for command, sizes in ((m, "1e3,1e4,1e5,1e6,1e7,1e8"), (t, "1e4,1e6")):
        command.add_argument("--sizes", type=lambda t: [int(float(n)) for n in t.split(",")], default=sizes)
    p = commands.add_parser("picture")
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--dtype", default="float32")
    p.set_defaults(run=picture)
    for command in (t, p):
        command.add_argument("files", nargs="+")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
