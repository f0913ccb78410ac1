#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No class of the controller has more than 12 data members or 20 handlers: check_services.py --root FOLDER [--list]"""
import argparse
import pathlib
import re
import sys

MOST_MEMBERS, MOST_HANDLERS = 12, 20


def classes(text):
    """Yields the name and the body of every class that is not nested in another."""
    text = re.sub(r"//.*", "", text)
    for found in re.finditer(r"^(?:class|struct) ([\w:]+)[^;{]*\{(.*?)^\};", text, re.M | re.S):
        yield found[1], found[2]


def members(body):
    """Declarations that are neither a function, a type nor a constant of the class."""
    while "{" in body:  # innermost first: an initial value goes, the body of a function ends it
        body = re.sub(r"\{[^{}]*\}", ";", re.sub(r"\{[^{}]*\}(?=[,;])", "", body))
    body = re.sub(r"\b(public|protected|private):", "", body)
    declared = [re.sub(r"<[^;]*>", "", one).split() for one in body.split(";")]
    kinds = {"using", "friend", "static", "struct", "class", "enum", "template"}
    return sum(len(words) > 1 and words[0] not in kinds and "(" not in " ".join(words) for words in declared)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    folder = options.root / "app" / "controller"
    files = sorted({*folder.rglob("*service.hpp"), *folder.glob("controller.?pp"), *folder.glob("jobs.hpp")})
    counts = [(name, members(body), body.count(" handle(const "))
              for file in files for name, body in classes(file.read_text())]
    for name, data, handlers in counts:
        if options.list or data > MOST_MEMBERS or handlers > MOST_HANDLERS:
            print(f"{name} has {data} members and {handlers} handlers")
    return 0 if counts and all(m <= MOST_MEMBERS and h <= MOST_HANDLERS for _, m, h in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
