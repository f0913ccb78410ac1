# SPDX-License-Identifier: Apache-2.0
"""Runs the programs once for every place at which they call the system, and makes that call fail (fail_call.c).
After each failure the program must have ended with 0 or one of its exit codes for errors, not by a signal; a file that
existed must hold what it held, or the whole new content; no other file may be left. What can be continued (a state, a
study) must end whole when the same command is given again.

    fail_every_call.py CLI LIBRARY SCRATCH [--desktop PROGRAM] [--backend NAME] [--uses NAME,...] [--kinds KIND,...]
                       [--part K/N] [--jobs N] [--table FILE] [--leaks LIBLSAN]

Prints one line for each use of a program and kind of call: places, and how many runs ended with which code.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zlib

KINDS = ("memory", "open", "read", "write", "rename", "sync", "thread", "gl", "cuda")
MATRIX = "%%MatrixMarket matrix coordinate pattern general\n6 5 4\n1 1\n2 3\n4 5\n6 2\n"
HDF5 = os.path.join(os.path.dirname(__file__), "..", "data", "hdf5", "good", "pattern.h5")
SESSION = {"format": "spyctrum-session", "version": 1, "matrices": ["in.mtx"], "selected": 0, "block": 2,
           "columns": [{"method": "exact"}, {"method": "elastic"}, {"method": "density-map"}],
           "views": {"pattern": [0, 0, 3, 3], "spectrum": [-2, -2, 2, 2]}, "wave": [1, 1]}
CODES = {0, 1, 2, 3, 4, 5, 6}  # of app/cli/README.md and app/desktop/main.cpp


@dataclasses.dataclass
class Use:
    name: str
    arguments: list
    output: str = None  # the file or folder that is written
    continues: bool = False  # a second run continues what the first has left
    varies: bool = False  # no two runs write the same picture: it shows times
    desktop: bool = False


CLI_USES = (
    Use("info", ["info", "in.mtx", "--json"]),
    Use("state", ["features", "in.mtx", "--method", "exact", "--state", "out"], "out", True),
    Use("picture", ["spectrum", "in.mtx", "--method", "exact", "--out", "out.png"], "out.png"),
    Use("array", ["spectrum", "in.mtx", "--method", "exact", "--out", "out.npy"], "out.npy"),
    Use("zoom", ["spectrum", "in.mtx", "--method", "exact", "--window", "-2,-2,4,4", "--out", "out.npz"], "out.npz"),
    Use("fill", ["reconstruct", "in.mtx", "--method", "elastic", "--block", "2", "--out", "out.png"], "out.png"),
    Use("compare", ["compare", "in.mtx", "--methods", "elastic,density-map", "--blocks", "2", "--csv", "out.csv"]),
    Use("matrix", ["generate", "band", "n=6", "--out", "out.mtx"], "out.mtx"),
    Use("convert", ["convert", "in.mtx", "out.mtx.gz"], "out.mtx.gz"),
    Use("hdf5", ["convert", "in.mtx", "out.bsp.h5"], "out.bsp.h5"),
    Use("index", ["index", "in.mtx", "--db", "out.db"], "out.db", True),
    Use("hdf5-files", ["index", "hdf5", "--db", "out.db"], "out.db", True),
    Use("shard", ["study", "in.mtx", "--methods", "elastic", "--blocks", "2", "--repeats", "1", "--no-figures", "--shard",
                  "1/1", "--out", "out"], "out", True),
    Use("study", ["study", "in.mtx", "--methods", "elastic", "--blocks", "2", "--repeats", "1", "--no-figures", "--out",
                  "out"], "out", True),
)
DESKTOP_USES = (
    Use("screen", ["--session", "in.json", "--size", "640x480", "--offscreen", "out.png"], "out.png", varies=True,
        desktop=True),
)


def run(options, use, folder, kind, at):
    log = folder + ".log"
    if os.path.exists(log):
        os.remove(log)
    preloaded = ":".join(filter(None, (options.leaks, options.library)))
    environment = dict(os.environ, LD_PRELOAD=preloaded, LSAN_OPTIONS="exitcode=23", SPYCTRUM_FAULT_KIND=kind,
                       SPYCTRUM_FAULT_AT=at, SPYCTRUM_FAULT_LOG=log, SPYCTRUM_FAULT_OF="program" if use.desktop else "all",
                       HOME=folder)
    program = [options.desktop] if use.desktop else [options.cli, "--quiet", "--threads", "2"]
    command = program[:1] + use.arguments + program[1:] + ["--backend", options.backend] * (use.name not in ("info", "matrix"))
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
                              timeout=120)
        code, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        code, said = "hangs", ""
    lines = open(log).read().split() if os.path.exists(log) else []
    return code, said, lines


def fresh(options, output, held, name="run"):
    folder = os.path.join(options.scratch, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "in.mtx"), "w") as file:
        file.write(MATRIX)
    with open(os.path.join(folder, "in.json"), "w") as file:
        json.dump(SESSION, file)
    # A process of its own reads each file; from the second file of a thread on, another thread starts the next process.
    os.makedirs(os.path.join(folder, "hdf5"))
    for k in range(8):
        shutil.copy(HDF5, os.path.join(folder, "hdf5", f"{k}.h5"))
    if output is not None and held is not None:
        with open(os.path.join(folder, output), "wb") as file:
            file.write(held)
    return folder


def contents(folder, name):
    """The bytes of a file, or the names in a folder: what a study writes holds times; so does a collection, of which it is
    SQLite's verdict, as a file that cannot be read is no error of `index`."""
    path = os.path.join(folder, name)
    if path.endswith(".db") and os.path.exists(path):
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute("PRAGMA integrity_check").fetchall()
    if os.path.isdir(path):
        return sorted(os.listdir(path))
    return open(path, "rb").read() if os.path.exists(path) else None


def is_whole(use, now, whole):
    """Whether the output is that of a run without a failure."""
    if not use.varies:
        return now == whole
    return now is not None and now[:4] == whole[:4] and now[-12:] == whole[-12:]  # the last chunk of a PNG


def check(options, use, kind):
    """Returns the number of places, the counts by exit code, and sentences that say what went wrong."""
    # A program that does not continue an earlier output replaces it: the folder begins with such a file.
    held = None
    if use.output is not None and not use.continues:
        folder = fresh(options, None, None)
        run(options, use, folder, "none", "0")
        held = contents(folder, use.output)
        assert held, f"{use.name} wrote nothing"
    folder = fresh(options, use.output, held)
    code, said, places = run(options, use, folder, kind, "0")
    assert code == 0, f"{use.name} without a failure ended with {code}: {said}"
    whole = contents(folder, use.output) if use.output is not None else None
    allowed = set(os.listdir(folder))

    def fail_at(at):
        """The exit code and the sentences for one place."""
        faults = []
        folder = fresh(options, use.output, held, f"run_{places.index(at)}")
        code, said, log = run(options, use, folder, kind, at)
        where = f"{use.name}, {kind}, place {at}"
        if log != ["failed"]:
            return "not reached", faults
        if code not in CODES:
            faults.append(f"{where}: ended with {code}: {said.strip()[-160:]}")
        elif code != 0 and not said.strip():
            faults.append(f"{where}: ended with {code} without a message")
        left = sorted(set(os.listdir(folder)) - allowed)
        if left:
            faults.append(f"{where}: left {', '.join(left)}")
        if use.output is None:
            return code, faults
        now = contents(folder, use.output)
        if code == 0 and not is_whole(use, now, whole):
            faults.append(f"{where}: ended with 0 and did not write {use.output}")
        elif use.continues and code != 0:
            again, said, _ = run(options, use, folder, "none", "0")
            if again != 0 or not is_whole(use, contents(folder, use.output), whole):
                faults.append(f"{where}: cannot be continued: {again}: {said.strip()[-160:]}")
        elif now != held and not is_whole(use, now, whole):
            faults.append(f"{where}: left a damaged {use.output}" if now is not None else f"{where}: lost {use.output}")
        if not faults:
            shutil.rmtree(folder, ignore_errors=True)
        return code, faults

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # A place belongs to the same part in every run, also where threads reached other places before it.
        number, parts = options.part
        results = list(pool.map(fail_at, [at for at in places if zlib.crc32(at.encode()) % parts == number - 1]))
    return len(places), collections.Counter(code for code, _ in results), [fault for _, of in results for fault in of]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("library")
    parser.add_argument("scratch")
    parser.add_argument("--desktop", help="the desktop program; its uses are left out without it")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--uses", help="default: all")
    parser.add_argument("--kinds", default=",".join(KINDS[:-2]))
    parser.add_argument("--part", metavar="K/N", type=lambda text: [int(number) for number in text.split("/")], default=[1, 1],
                        help="take the K-th of N parts of the places")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--leaks", metavar="LIBLSAN", help="liblsan.so, which ends a run with 23, a fault, where allocated "
                        "memory is lost; it takes the place of the library for the kinds memory and thread")
    parser.add_argument("--table", help="file for the results as a table in Markdown")
    options = parser.parse_args()
    for name in ("cli", "library", "scratch", "desktop"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    os.makedirs(options.scratch, exist_ok=True)
    uses = CLI_USES + (DESKTOP_USES if options.desktop else ())
    if options.uses:
        uses = [use for use in uses if use.name in options.uses.split(",")]
    every_fault, table = [], ["| use | kind | places | outcomes | faults |", "|---|---|---|---|---|"]
    for use in uses:
        for kind in options.kinds.split(","):
            places, codes, faults = check(options, use, kind)
            outcomes = ", ".join(f"{count} × {code}" for code, count in sorted(codes.items(), key=str))
            print(f"{use.name:8} {kind:7} {places:5} places: {outcomes}; {len(faults)} faults", flush=True)
            table.append(f"| {use.name} | {kind} | {places} | {outcomes} | {len(faults)} |")
            for fault in faults:
                print("  " + fault, flush=True)
            every_fault += faults
    if options.table:
        with open(options.table, "w") as file:
            file.write("\n".join(table) + "\n")
    sys.exit(1 if every_fault else 0)


if __name__ == "__main__":
    main()
