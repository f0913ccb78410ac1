#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who includes whom, by room: include_graph.py [--dot] [--root FOLDER]

A unit is a header with the source of the same name beside it; a room is a folder with a CMakeLists.txt, its
subfolders without one included. The floors are app -> render -> core. Prints for each room the rooms that it uses
(--dot: as a graph for Graphviz), and fails with the reason where units include each other in a circle, where rooms
do, where a floor includes one above it, or where a room has no README.md.
"""
import argparse
import os
import re
import sys
from collections import defaultdict

FLOORS = ["core", "render", "app"]  # from the bottom to the top
SOURCE = re.compile(r"\.(hpp|cpp|cuh|cu)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def sources_below(root):
    for floor in FLOORS:
        for folder, _, names in os.walk(os.path.join(root, floor)):
            for name in sorted(names):
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(folder, name), root)


def included_units(root):
    """unit -> the units that it includes."""
    sources = set(sources_below(root))
    graph = defaultdict(set)
    for source in sorted(sources):
        unit = SOURCE.sub("", source)
        graph[unit]  # a unit that includes none is a unit, too
        with open(os.path.join(root, source), encoding="utf-8") as file:
            for header in INCLUDE.findall(file.read()):
                if header in sources and SOURCE.sub("", header) != unit:
                    graph[unit].add(SOURCE.sub("", header))
    return graph


def room_of(unit, root):
    folder = os.path.dirname(unit)
    room = folder
    while room and not os.path.exists(os.path.join(root, room, "CMakeLists.txt")):
        room = os.path.dirname(room)
    return room or folder


def by_room(units, root):
    rooms = defaultdict(set)
    for unit, included in units.items():
        room = room_of(unit, root)
        rooms[room] |= {room_of(other, root) for other in included} - {room}
    return rooms


def circles(graph):
    """The strongly connected components of two and more nodes (Tarjan 1972)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def faults_of(units, rooms, root):
    faults = ["units include each other in a circle: " + ", ".join(circle) for circle in circles(units)]
    faults += ["rooms use each other in a circle: " + ", ".join(circle) for circle in circles(rooms)]
    for room, used in sorted(rooms.items()):
        floor = FLOORS.index(room.split("/")[0])
        faults += [f"{room} includes {other}, which is on a floor above it"
                   for other in sorted(used) if FLOORS.index(other.split("/")[0]) > floor]
        if not os.path.exists(os.path.join(root, room, "README.md")):
            faults.append(f"{room} has no README.md")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dot", action="store_true", help="print a graph for Graphviz")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    arguments = parser.parse_args()
    sys.setrecursionlimit(10000)
    units = included_units(arguments.root)
    if not units:
        sys.exit("no sources below " + arguments.root)
    rooms = by_room(units, arguments.root)
    if arguments.dot:
        print("digraph rooms {")
        for room, used in sorted(rooms.items()):
            for other in sorted(used):
                print(f'  "{room}" -> "{other}";')
        print("}")
    else:
        for room, used in sorted(rooms.items()):
            print(room, "->", ", ".join(sorted(used)) or "nothing")
    faults = faults_of(units, rooms, arguments.root)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
