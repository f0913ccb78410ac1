// SPDX-License-Identifier: Apache-2.0
// reorder: the same entries with rows and columns in another order, as a Matrix Market file, which holds the
// weights if they are not those of the pattern.
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum::cli {

void run_reorder(Session& session, const ReorderOptions& options) {
  const OrderInfo* order = find_order(options.order);
  if (order == nullptr)
    throw Failure(ErrorCode::wrong_use, "There is no order '" + options.order + "'.",
                  "Choose one of " + joined(orders(), &OrderInfo::id) + ".");
  or_throw(check_writable(options.out, session.stop()));
  const Matrix matrix = session.load_with_weights();
  const auto job = session.context("reorder");
  const Permutation permutation =
      compute_permutation(*matrix.pattern, order->order, session.options().seed, *job);
  const SparsePattern reordered = permuted(*matrix.pattern, permutation, *job);
  const std::string comment =
      "Spyctrum " SPYCTRUM_VERSION ", " + matrix.report.file + ", " + std::string(order->label);
  or_throw(write_matrix_market(reordered, options.out, comment, *job));
  session.file_written();
  const std::uint64_t before = statistics_of(*matrix.pattern).bandwidth;
  const std::uint64_t after = statistics_of(reordered).bandwidth;
  Json object = matrix_fields(matrix);
  object.update({{"order", order->id},
                 {"bandwidth_before", before},
                 {"bandwidth", after},
                 {"note", permutation.note},
                 {"out", options.out},
                 {"seed", session.options().seed},
                 {"version", SPYCTRUM_VERSION}});
  session.print(object);
  session.line(options.out, ": ", order->label, ", bandwidth ", before, " → ", after,
               permutation.note.empty() ? "" : "; " + permutation.note);
}

}  // namespace spyctrum::cli
