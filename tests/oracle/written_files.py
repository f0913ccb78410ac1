# SPDX-License-Identifier: Apache-2.0
"""What spyctrum-cli convert writes, SciPy, h5py and a reader of METIS graphs in a few lines read as the same matrix.

usage: written_files.py SPYCTRUM_CLI

Matrices are made by SciPy and given as Matrix Market files. Exit code 77 where this Python has no SciPy; Binsparse
is left out, with a line that says so, where it has no h5py. SPYCTRUM_PYTHON names another Python."""
import json
import os
import subprocess
import sys
import tempfile

other = os.environ.pop("SPYCTRUM_PYTHON", None)
if other:
    os.execv(other, [other] + sys.argv)
try:
    import numpy
    import scipy.io
    import scipy.sparse as sparse
except ImportError as missing:
    print(f"NOT COMPARED: {missing}; SPYCTRUM_PYTHON may name a Python with SciPy")
    sys.exit(77)
try:
    import h5py
except ImportError:
    h5py = None
    print("NOT COMPARED: Binsparse, because this Python has no h5py")

program = sys.argv[1]


def convert(source, target, weights):
    done = subprocess.run([program, "convert", "--quiet", source, target, "--weights", weights], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{target}: {done.stderr}")


def read_metis(path):
    lines = [line.split() for line in open(path) if not line.startswith("%")]
    n, edges, weighted = int(lines[0][0]), int(lines[0][1]), lines[0][2:] == ["1"]
    rows, cols, values = [], [], []
    assert len(lines) == n + 1
    for vertex, words in enumerate(lines[1:]):
        step = 2 if weighted else 1
        for k in range(0, len(words), step):
            rows.append(vertex)
            cols.append(int(words[k]) - 1)
            values.append(int(words[k + 1]) if weighted else 1)
    assert len(rows) == 2 * edges
    return sparse.coo_matrix((values, (rows, cols)), shape=(n, n))


def read_binsparse(path):
    with h5py.File(path) as file:
        facts = json.loads(file.attrs["binsparse"])["binsparse"]
        assert facts["version"] == "0.1" and set(facts["data_types"]) == set(file)
        pointers, indices, values = file["pointers_to_1"][:], file["indices_1"][:], file["values"][:]
        assert str(file["pointers_to_1"].dtype) == facts["data_types"]["pointers_to_1"]
        assert str(file["indices_1"].dtype) == facts["data_types"]["indices_1"]
        assert len(indices) == facts["number_of_stored_values"]
        kind = facts["data_types"]["values"]
        if kind.startswith("iso["):
            values = numpy.repeat(values, len(indices))
        elif kind == "complex[float32]":
            assert values.dtype == numpy.float32
            values = values.view(numpy.complex64)
        else:
            assert str(values.dtype) == kind
        columns = numpy.arange(facts["shape"][1])
        if facts["format"] == "DCSC":
            columns = file["indices_0"][:]
        else:
            assert facts["format"] == "CSC"
        cols = numpy.repeat(columns, numpy.diff(pointers.astype(numpy.int64)))
        return sparse.coo_matrix((values, (indices.astype(numpy.int64), cols)), shape=facts["shape"])


# Ending, reader, and the kinds of values that the reader takes (SciPy's hb_read() reads real and whole numbers only).
FORMATS = [
    (".mtx", scipy.io.mmread, ("pattern", "integer", "real", "complex")),
    (".mtx.gz", scipy.io.mmread, ("pattern", "integer", "real", "complex")),
    (".npz", sparse.load_npz, ("pattern", "integer", "real", "complex")),
    (".rb", scipy.io.hb_read, ("integer", "real")),
]
if h5py:
    FORMATS.append((".bsp.h5", read_binsparse, ("pattern", "integer", "real", "complex")))


def canonical(matrix):
    """Places and values, by column and row; explicit zeros stay."""
    matrix = sparse.coo_matrix(matrix)
    order = numpy.lexsort((matrix.row, matrix.col))
    return matrix.shape, matrix.row[order], matrix.col[order], matrix.data[order]


def expect_same(found, expected, what):
    found, expected = canonical(found), canonical(expected)
    assert tuple(found[0]) == tuple(expected[0]), what
    for k in (1, 2):
        assert numpy.array_equal(found[k], expected[k]), what
    kind = numpy.complex64 if numpy.iscomplexobj(expected[3]) else numpy.float32
    assert numpy.array_equal(found[3].astype(kind), expected[3].astype(kind)), what


def random_matrix(rows, cols, count, field, random):
    matrix = sparse.random(rows, cols, density=count / (rows * cols), random_state=random, format="coo")
    if field == "integer":
        matrix.data = random.integers(-99999, 99999, matrix.nnz)
    else:
        matrix.data = (random.standard_normal(matrix.nnz) * 10.0 ** random.integers(-30, 30, matrix.nnz)).astype(numpy.float32)
    if field == "complex":
        matrix = matrix.astype(numpy.complex128)
        matrix.data += 1j * random.standard_normal(matrix.nnz).astype(numpy.float32)
    return matrix


def main():
    random = numpy.random.default_rng(5)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.mtx")
        for rows, cols, count in ((60, 41, 500), (5, 3000, 40), (3000, 5, 40), (1, 1, 1)):
            for field in ("pattern", "integer", "real", "complex"):
                matrix = random_matrix(rows, cols, count, field, random)
                scipy.io.mmwrite(source, matrix, field=field, symmetry="general", precision=17)
                for ending, read, fields in FORMATS:
                    if field not in fields:
                        continue
                    target = os.path.join(folder, "target" + ending)
                    convert(source, target, "pattern" if field == "pattern" else "value")
                    expected = matrix if field != "pattern" else sparse.coo_matrix((numpy.ones(matrix.nnz), (matrix.row, matrix.col)), matrix.shape)
                    expect_same(read(target), expected, (ending, field, rows, cols))
                    compared += 1
        matrix = sparse.triu(random_matrix(50, 50, 300, "integer", random), 1)
        matrix.data = abs(matrix.data) + 1
        matrix = sparse.coo_matrix(matrix + matrix.T)
        scipy.io.mmwrite(source, matrix, field="integer", symmetry="general")
        target = os.path.join(folder, "target.graph")
        convert(source, target, "value")
        expect_same(read_metis(target), matrix, "METIS with weights")
        convert(source, target, "pattern")
        matrix.data[:] = 1
        expect_same(read_metis(target), matrix, "METIS")
    print(f"{compared + 2} files compared")


main()
