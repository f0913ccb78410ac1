# SPDX-License-Identifier: Apache-2.0
"""Runs the command line program once for every place at which it calls the system, and makes that call fail
(fail_call.c). After each failure the program must have ended with 0 or one of its exit codes for errors, not by a
signal; a file that existed must hold what it held, or the whole new content; no other file may be left.

    fail_every_call.py PROGRAM LIBRARY SCRATCH [--kinds KIND,...] [--every N]

Prints one line for each use of the program and kind of call: places, and how many runs ended with which code.
"""
import argparse
import collections
import os
import shutil
import subprocess
import sys

KINDS = ("memory", "open", "read", "write", "rename", "sync", "thread")
MATRIX = "%%MatrixMarket matrix coordinate pattern general\n6 5 4\n1 1\n2 3\n4 5\n6 2\n"
# Name, arguments, and the file that is written.
USES = (
    ("info", ["info", "in.mtx", "--json"], None),
    ("state", ["features", "in.mtx", "--method", "exact", "--state", "out"], "out"),
    ("picture", ["spectrum", "in.mtx", "--method", "exact", "--out", "out.png"], "out.png"),
    ("array", ["spectrum", "in.mtx", "--method", "exact", "--out", "out.npy"], "out.npy"),
    ("matrix", ["generate", "band", "n=6", "--out", "out.mtx"], "out.mtx"),
)
CODES = {0, 1, 2, 3, 4, 5}  # of app/cli/README.md


def run(options, arguments, folder, kind, at):
    log = os.path.join(options.scratch, "log")
    if os.path.exists(log):
        os.remove(log)
    environment = dict(os.environ, LD_PRELOAD=options.library, SPYCTRUM_FAULT_KIND=kind, SPYCTRUM_FAULT_AT=str(at),
                       SPYCTRUM_FAULT_LOG=log, HOME=folder)
    try:
        done = subprocess.run([options.program, *arguments, "--quiet", "--threads", "2"], cwd=folder, env=environment,
                              capture_output=True, text=True, errors="replace", timeout=60)
        code, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        code, said = "hangs", ""
    lines = open(log).read().split() if os.path.exists(log) else []
    return code, said, lines


def fresh(options, output, held):
    folder = os.path.join(options.scratch, "run")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "in.mtx"), "w") as file:
        file.write(MATRIX)
    if output is not None and held is not None:
        with open(os.path.join(folder, output), "wb") as file:
            file.write(held)
    return folder


def contents(folder, name):
    path = os.path.join(folder, name)
    return open(path, "rb").read() if os.path.exists(path) else None


def check(options, use, kind):
    """Returns the counts by exit code, and sentences that say what went wrong."""
    name, arguments, output = use
    # Pictures and arrays replace a file that the program itself wrote; a state begins anew.
    held = None
    if output is not None and name != "state":
        folder = fresh(options, None, None)
        run(options, arguments, folder, "none", 0)
        held = contents(folder, output)
        assert held, f"{name} wrote nothing"
    folder = fresh(options, output, held)
    code, said, places = run(options, arguments, folder, kind, 0)
    assert code == 0, f"{name} without a failure ended with {code}: {said}"
    whole = contents(folder, output) if output is not None else None
    codes, faults = collections.Counter(), []
    for at in places[:: options.every]:
        folder = fresh(options, output, held)
        code, said, log = run(options, arguments, folder, kind, at)
        where = f"{name}, {kind}, call {at}"
        if log != ["failed"]:
            codes["not reached"] += 1
            continue
        codes[code] += 1
        if code not in CODES:
            faults.append(f"{where}: ended with {code}: {said.strip()[-160:]}")
        elif code != 0 and not said.strip():
            faults.append(f"{where}: ended with {code} without a message")
        if output is not None:
            now = contents(folder, output)
            if now not in (held, whole):
                faults.append(f"{where}: left a damaged {output}" if now is not None else f"{where}: lost {output}")
            if code == 0 and now != whole:
                faults.append(f"{where}: ended with 0 and did not write {output}")
        left = sorted(set(os.listdir(folder)) - {"in.mtx", output})
        if left:
            faults.append(f"{where}: left {', '.join(left)}")
    return len(places), codes, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("scratch")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--every", type=int, default=1, help="take each N-th place")
    options = parser.parse_args()
    for name in ("program", "library", "scratch"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    os.makedirs(options.scratch, exist_ok=True)
    every_fault = []
    for use in USES:
        for kind in options.kinds.split(","):
            places, codes, faults = check(options, use, kind)
            outcomes = ", ".join(f"{count} × {code}" for code, count in sorted(codes.items(), key=str))
            print(f"{use[0]:8} {kind:7} {places:5} places: {outcomes}; {len(faults)} faults", flush=True)
            every_fault += faults
    for fault in every_fault:
        print(fault)
    sys.exit(1 if every_fault else 0)


if __name__ == "__main__":
    main()
