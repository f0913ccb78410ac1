// SPDX-License-Identifier: Apache-2.0
// reorder: the same entries with rows and columns in another order, as a Matrix Market file.
#include "app/cli/commands.hpp"
#include "core/io/export.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum::cli {

Result<void> run_reorder(Session& session, const ReorderOptions& options) {
  const OrderInfo* order = find_order(options.order);
  if (order == nullptr) {
    std::string possible;
    for (const OrderInfo& one : orders()) possible += (possible.empty() ? "" : ", ") + std::string(one.id);
    return fail(ErrorCode::wrong_use, "There is no order '" + options.order + "'.",
                "Choose one of " + possible + ".");
  }
  if (auto writable = check_writable(options.out); !writable) return writable;
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const auto job = session.context("reorder");
  std::string note;
  auto reordered = run_guarded([&] {
    const Permutation permutation =
        compute_permutation(*matrix->pattern, order->order, session.options().seed, *job);
    note = permutation.note;
    return permuted(*matrix->pattern, permutation, *job);
  });
  session.clear_progress();
  if (!reordered) return tl::unexpected<Error>(reordered.error());
  const std::string comment =
      "Spyctrum " SPYCTRUM_VERSION ", " + matrix->report.file + ", " + std::string(order->label);
  auto written = write_matrix_market(*reordered, options.out, comment, *job);
  session.clear_progress();
  if (!written) return written;
  session.file_written();
  const std::uint64_t before = statistics_of(*matrix->pattern).bandwidth;
  const std::uint64_t after = statistics_of(*reordered).bandwidth;
  session.print({{"file", matrix->report.file},
                 {"order", order->id},
                 {"rows", reordered->rows()},
                 {"cols", reordered->cols()},
                 {"nonzeros", reordered->nonzeros()},
                 {"bandwidth_before", before},
                 {"bandwidth", after},
                 {"note", note},
                 {"out", options.out},
                 {"seed", session.options().seed},
                 {"version", SPYCTRUM_VERSION}});
  session.line(options.out + ": " + std::string(order->label) + ", bandwidth " + std::to_string(before) +
               " → " + std::to_string(after) + (note.empty() ? "" : "; " + note));
  return session.finish();
}

}  // namespace spyctrum::cli
