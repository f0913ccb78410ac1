// SPDX-License-Identifier: Apache-2.0
// Private to the sources of SparsePattern: whether a matrix is symmetric.
#pragma once

namespace spyctrum {

class JobContext;
class SparsePattern;

/// Whether the pattern is square and for every entry (i, j) also has the entry (j, i). With `context` on the
/// job's threads; then throws Failure{cancelled}.
[[nodiscard]] bool equals_its_transpose(const SparsePattern& pattern, JobContext* context);

}  // namespace spyctrum
