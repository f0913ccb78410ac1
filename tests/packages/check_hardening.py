# SPDX-License-Identifier: Apache-2.0
"""Reads ELF files with readelf and fails where one lacks the hardening of a release build
(third_party/cmake/BuildSettings.cmake), or names a folder for its libraries in which a stranger could put one.

    check_hardening.py FILE_OR_FOLDER...

Of a folder, every ELF file below it is read; a folder without one fails too.
"""
import argparse
import os
import re
import subprocess
import sys


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True).stdout


# Functions of the C library that _FORTIFY_SOURCE replaces by checked ones where it knows the size of an array.
CHECKABLE = r"(v?f?d?s?n?printf|strn?cpy|strn?cat|mem(cpy|move|set))@"
# ENDBR64: the mark of the places to which an indirect jump may lead. Debian's startup files lack the note that would have
# the linker announce it for the whole program.
JUMP_TARGET = b"\xf3\x0f\x1e\xfa"
FEWEST_JUMP_TARGETS = 8  # startup files of other systems hold up to five


def faults_of(path):
    """Sentences that say what is wrong with one file."""
    header = readelf("-h", path)
    segments = readelf("-l", path)
    dynamic = readelf("-d", path)
    symbols = readelf("--dyn-syms", path)
    faults = []
    if not re.search(r"Type:\s+DYN", header):
        faults.append("is not position independent")
    if "GNU_RELRO" not in segments:
        faults.append("has no read-only relocations (RELRO)")
    if not re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic):
        faults.append("binds functions lazily (no BIND_NOW)")
    stack = re.search(r"GNU_STACK.*", segments)
    if stack is None or re.search(r"\bRWE\b", stack.group(0)):
        faults.append("has an executable stack")
    if "__stack_chk_fail" not in symbols:
        faults.append("has no stack protector")
    if re.search(CHECKABLE, symbols) and not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        faults.append("calls no function that _FORTIFY_SOURCE checks")
    if re.search(r"__throw_(out_of_range|length_error)", symbols) and "__glibcxx_assert_fail" not in symbols:
        faults.append("does not check the indices of containers (_GLIBCXX_ASSERTIONS)")
    if re.search(r"Machine:.*X86-64", header):
        with open(path, "rb") as file:
            if file.read().count(JUMP_TARGET) < FEWEST_JUMP_TARGETS:
                faults.append("marks no targets of indirect jumps (-fcf-protection)")
    for entry in re.findall(r"\((?:RUNPATH|RPATH)\)[^\[]*\[([^\]]*)\]", dynamic):
        for folder in entry.split(":"):
            if not folder:
                faults.append("searches the current folder for libraries (empty element of RUNPATH)")
            elif not folder.startswith(("/", "$ORIGIN")):
                faults.append(f"searches the relative folder {folder} for libraries")
            elif folder.startswith("/") and os.path.isdir(folder) and os.stat(folder).st_mode & 0o002:
                faults.append(f"searches {folder} for libraries, in which everybody may write")
    return faults


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def files_of(path):
    """The file itself, or the ELF files below a folder."""
    if not os.path.isdir(path):
        return [path]
    names = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    files = sorted(name for name in names if not os.path.islink(name) and is_elf(name))
    if not files:
        sys.exit(f"{path} holds no program and no library")
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    found = False
    for path in [file for argument in parser.parse_args().files for file in files_of(argument)]:
        for fault in faults_of(path):
            print(f"{path} {fault}")
            found = True
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
