#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that a comment or a document names exist: check_citations.py [--root FOLDER]

Looks at every file of the repository, except test data. A name with an ending of our own sources or documents must be
the path of a tracked file or the end of such a path. Of C++ sources only comments are read: the compiler checks the
rest.
"""
import argparse
import os
import re
import subprocess
import sys

NAME = re.compile(r"(?<![\w./*<>{}$…-])((?:[\w-]+/)*[\w-]+\.(?:hpp|cpp|cuh|cu|md|cmake|sh|py|frag|vert|comp))(?![\w*])")
FOLDER = re.compile(r"(?<![\w./-])(design|shared)/\w")
SKIPPED = re.compile(r"\.(png|webp|svg|mtx|gz|supp)$|^tests/(?:fuzz/)?data/|^LICENSE$|^tests/floors/(check_citations\.py|CMakeLists\.txt)$")
COMMENT = re.compile(r"//.*")
# Made by the build or by the program, or part of a library that is fetched.
NOT_OURS = {"third_party/fonts.hpp", "third_party/color_maps.hpp", "render/shader_sources.hpp", "imgui_stacklayout.cpp", "implot_items.cpp",
            "report.md", "DIR/report.md"}


def tracked(root):
    if os.path.exists(os.path.join(root, ".git")):
        try:
            listed = subprocess.run(["git", "-C", root, "ls-files", "-c", "-o", "--exclude-standard"], check=True,
                                    capture_output=True, text=True)
            return [path for path in listed.stdout.splitlines() if os.path.isfile(os.path.join(root, path))]
        except (OSError, subprocess.CalledProcessError):  # git is not installed, or refuses another user's tree
            pass
    paths = []
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if name != ".git" and (folder, name) != (root, "build")]
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    root = os.path.abspath(parser.parse_args().root)
    files = tracked(root)
    ends = set()
    for path in files:
        parts = path.split("/")
        ends |= {"/".join(parts[k:]) for k in range(len(parts))}
    missing = []
    for path in files:
        if SKIPPED.search(path):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.search(r"pp$|[.]cuh?$", path):
                    comment = COMMENT.search(line)
                    line = comment.group(0) if comment else ""
                for name in [match.group(1) for match in NAME.finditer(line)]:
                    if name not in ends and name not in NOT_OURS:
                        missing.append(f"{path}:{number}: {name} is not in the repository")
                for match in FOLDER.finditer(line):
                    missing.append(f"{path}:{number}: the folder {match.group(1)}/ is not in the repository")
    for line in missing:
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
