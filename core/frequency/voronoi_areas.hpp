// SPDX-License-Identifier: Apache-2.0
// The areas of clipped Voronoi cells: how many coefficients each of a set of scattered frequencies represents
// (BS-FFT paper, §3.6). The cell of a point is the plane, cut by the bisectors with its neighbours in order
// of rings of a grid of buckets, until no farther point can cut it (Rycroft, Chaos 19, 041111, 2009). A
// thread holds one cell at a time; a library's diagram of all cells would take some 500 bytes a point, 6 GB
// for the samples of a side of 14,000 at b = 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum {

/// Areas in coefficients of the cells of (u[k], v[k]), distinct signed frequencies of an m×n plane, at least
/// one, ascending by (u, v). Distances are in cycles per sample. The plane is cut at its edges, half a
/// coefficient beyond the outermost ones. Members of a conjugate pair that are both there get the mean of
/// their areas: of even sides the edges are not symmetric. F[0, 0] is known and no sample of its
/// neighbourhood: its point has area 1, taken from the cells that it lies in, unless it is the only one. The
/// sum is mn. The same on any number of threads. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::vector<float> voronoi_areas(std::uint64_t m, std::uint64_t n,
                                               std::span<const std::int32_t> u,
                                               std::span<const std::int32_t> v, JobContext& context);
/// Bytes that voronoi_areas() books, the result included.
[[nodiscard]] std::uint64_t voronoi_areas_bytes(std::uint64_t points);

}  // namespace spyctrum
