// SPDX-License-Identifier: Apache-2.0
// reorder: the same entries with rows and columns in another order, in Matrix Market unless the file's name
// says otherwise, with the weights if they are not those of the pattern.
#include "app/cli/commands.hpp"
#include "app/cli/matrix_output.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum::cli {

void run_reorder(Session& session, const ReorderOptions& options) {
  const OrderInfo* order = find_order(options.order);
  if (order == nullptr)
    throw Failure(ErrorCode::wrong_use, "There is no order '" + options.order + "'.",
                  "Choose one of " + joined(orders(), &OrderInfo::id) + ".");
  const MatrixOutput out(session, options.out, {}, MatrixOutput::Otherwise::matrix_market);
  const Matrix matrix = session.load_with_weights();
  const auto job = session.context("reorder");
  const Permutation permutation =
      compute_permutation(*matrix.pattern, order->order, session.options().seed, *job);
  Matrix reordered = matrix;
  reordered.pattern = std::make_shared<const SparsePattern>(permuted(*matrix.pattern, permutation, *job));
  const std::string comment =
      "Spyctrum " SPYCTRUM_VERSION ", " + matrix.report.file + ", " + std::string(order->label);
  out.write(session, reordered, comment, *job);
  const std::uint64_t before = statistics_of(*matrix.pattern).bandwidth;
  const std::uint64_t after = statistics_of(*reordered.pattern).bandwidth;
  Json object = matrix_fields(matrix);
  object.update({{"order", order->id},
                 {"bandwidth_before", before},
                 {"bandwidth", after},
                 {"note", permutation.note},
                 {"out", options.out},
                 {"seed", session.options().seed},
                 {"version", SPYCTRUM_VERSION}});
  session.print(object);
  out.report(session, std::string(order->label) + ", bandwidth " + std::to_string(before) + " → " +
                          std::to_string(after) + (permutation.note.empty() ? "" : "; " + permutation.note));
}

}  // namespace spyctrum::cli
