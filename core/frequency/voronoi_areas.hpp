// SPDX-License-Identifier: Apache-2.0
// Areas of clipped Voronoi cells: the number of coefficients that each of a set of scattered frequencies
// represents (BS-FFT paper, §3.6). The cell of a point is the plane cut by the bisectors with its neighbours,
// which are visited ring by ring in a grid of buckets until no farther point can cut the cell (Rycroft, Chaos
// 19, 041111, 2009). Each thread holds one cell at a time; a library's diagram of all cells would take about
// 500 bytes per point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum {

/// Returns the areas, in coefficients, of the cells of the distinct signed frequencies (u[k], v[k]) of an m×n
/// plane, at least one, ascending by (u, v). Distances are in cycles per sample; the plane ends half a
/// coefficient beyond the outermost frequencies. If both members of a conjugate pair are present, both get
/// the mean of their areas (the edges of even sides are not symmetric). F[0, 0] = K says nothing about its
/// neighbours: its point has area 1, which is taken from the cells around it, unless it is the only point.
/// The areas add up to mn and are the same on any number of threads. Throws Failure{cancelled} and
/// {out_of_memory}.
[[nodiscard]] std::vector<float> voronoi_areas(std::uint64_t m, std::uint64_t n,
                                               std::span<const std::int32_t> u,
                                               std::span<const std::int32_t> v, JobContext& context);
/// Bytes that voronoi_areas() books, the result included.
[[nodiscard]] std::uint64_t voronoi_areas_bytes(std::uint64_t points);

}  // namespace spyctrum
