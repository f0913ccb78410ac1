#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of README's picture of formats: python3 formats.py FOLDER (needs NumPy and h5py)."""
import sys
import h5py
import numpy as np

folder = sys.argv[1]
random = np.random.default_rng(1)


def write_csr(group, rows, cols, values, shape):
    order = np.lexsort((cols, rows))
    group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": shape})
    group["data"] = values[order]
    group["indices"] = cols[order].astype(np.int32)
    group["indptr"] = np.searchsorted(rows[order], np.arange(shape[0] + 1)).astype(np.int32)


# 1,200 cells of six kinds, 900 genes, of which 150 mark a kind each.
rate = np.full((1200, 900), 0.06)
for kind in range(6):
    rate[200 * kind:200 * (kind + 1), 150 * kind:150 * (kind + 1)] = 0.6
counts = random.poisson(rate)
rows, cols = np.nonzero(counts)
with h5py.File(folder + "/cells.h5ad", "w") as file:
    file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    values = counts[rows, cols].astype(np.float32)
    write_csr(file.create_group("X"), rows, cols, np.log1p(values), (1200, 900))
    write_csr(file.create_group("layers/counts"), rows, cols, values, (1200, 900))
    write_csr(file.create_group("layers/scaled"), rows, cols, values / values.max(), (1200, 900))


# Contacts of 1,800 bins in three chromosomes: rarer with their distance, also between chromosomes.
def write_cooler(group, counts, bin_size, ends):
    upper = np.triu(counts)
    rows, cols = np.nonzero(upper)
    starts = np.concatenate([np.arange(0, end, bin_size) for end in ends])
    chromosome = np.concatenate([np.full(-(-end // bin_size), k) for k, end in enumerate(ends)])
    total = counts.sum(axis=1).astype(float)
    weight = np.sqrt(total.mean()) / np.maximum(total, 1)
    group.attrs.update({"format": "HDF5::Cooler", "format-version": 3, "bin-size": bin_size, "bin-type": "fixed",
                        "storage-mode": "symmetric-upper", "nbins": len(starts), "nnz": len(rows),
                        "nchroms": len(ends)})
    group["chroms/name"] = np.array([b"chr1", b"chr2", b"chr3"])
    group["chroms/length"] = np.array(ends, dtype=np.int32)
    group["bins/chrom"] = chromosome.astype(np.int32)
    group["bins/start"] = starts.astype(np.int32)
    group["bins/end"] = (starts + bin_size).astype(np.int32)
    group["bins/weight"] = weight
    group["pixels/bin1_id"] = rows.astype(np.int64)
    group["pixels/bin2_id"] = cols.astype(np.int64)
    group["pixels/count"] = upper[rows, cols].astype(np.int32)
    group["indexes/bin1_offset"] = np.searchsorted(rows, np.arange(len(starts) + 1)).astype(np.int64)
    group["indexes/chrom_offset"] = np.searchsorted(chromosome, np.arange(len(ends) + 1)).astype(np.int64)


ends = [8_000_000, 6_000_000, 4_000_000]
chromosome = np.repeat([0, 1, 2], [800, 600, 400])
place = np.arange(1800)
apart = np.abs(place[:, None] - place[None, :])
rate = np.where(chromosome[:, None] == chromosome[None, :], 60 / (1 + apart) ** 1.1, 0.008)
half = random.poisson(np.triu(rate))
fine = half + np.triu(half, 1).T
coarse = fine.reshape(450, 4, 450, 4).sum(axis=(1, 3))
with h5py.File(folder + "/map.mcool", "w") as file:
    file.attrs.update({"format": "HDF5::MCOOL", "format-version": 2})
    write_cooler(file.create_group("resolutions/10000"), fine, 10_000, ends)
    write_cooler(file.create_group("resolutions/40000"), coarse, 40_000, ends)

# 400 vertices in a ring with some chords.
with open(folder + "/links.csv", "w") as file:
    file.write("source,target\n")
    for k in range(1, 401):
        file.write(f"{k},{k % 400 + 1}\n{k},{(k + 1) % 400 + 1}\n")
    for a, b in random.integers(1, 401, size=(600, 2)):
        file.write(f"{a},{b}\n")
