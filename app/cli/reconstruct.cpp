// SPDX-License-Identifier: Apache-2.0
// reconstruct: the full-resolution magnitude plane from a method's samples, or a window of it; with
// --reference exact also its Hellinger distance from the exact plane, whose rows are streamed once.
#include "app/cli/arrangement.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/cli/row_writer.hpp"
#include "core/io/export.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum::cli {

namespace {

/// Rows and columns of the output: the window, or the whole plane.
struct Frame {
  ArrangedAxis rows, cols;
};

/// Throws Failure{out_of_memory}.
Result<Frame> frame_of(const ReconstructOptions& options, const SparsePattern& pattern, bool centered,
                       JobContext& job, Booking& booking) {
  const auto book = [&](std::uint64_t rows, std::uint64_t cols) {
    booking = Booking(job.memory(), arrangement_bytes(rows, cols), "list of the output's frequencies");
  };
  if (!options.window.empty()) {
    auto window = parse_window(options.window, pattern);
    if (!window) return tl::unexpected<Error>(window.error());
    book(window->rows.count(), window->cols.count());
    return Frame{arrange(window->rows, Order::as_computed), arrange(window->cols, Order::as_computed)};
  }
  const Order order = centered ? Order::centered : Order::dft;
  book(pattern.rows(), pattern.cols());
  return Frame{arrange(FrequencyAxis::full(pattern.rows()), order),
               arrange(FrequencyAxis::full(pattern.cols()), order)};
}

/// Fills one output row: runs of consecutive frequencies go to the reconstruction as one call.
void reconstruct_row(const Reconstruction& plane, std::int64_t u, const std::vector<std::int64_t>& v,
                     std::span<float> out) {
  std::size_t begin = 0;
  while (begin < v.size()) {
    const std::int64_t step = begin + 1 < v.size() ? v[begin + 1] - v[begin] : 1;
    std::size_t end = begin + 1;
    while (end < v.size() && v[end] - v[end - 1] == step) ++end;
    plane.row(u, v[begin], step, out.subspan(begin, end - begin));
    begin = end;
  }
}

Result<ReconstructionErrors> against_exact(Session& session, const Reconstruction& plane,
                                           const PatternPtr& pattern, std::uint64_t held_bytes) {
  ReconstructionErrorConsumer consumer(plane);
  RowConsumer* const consumers[] = {&consumer};
  Request request;
  request.pattern = pattern;
  request.backend = session.backend();
  const auto job = session.context("exact reference");
  const Booking held(job->memory(), held_bytes, "reconstruction");
  auto streamed = stream_method(usual_method(MethodRole::window), request, consumers, *job);
  session.clear_progress();
  if (!streamed) return tl::unexpected<Error>(streamed.error());
  return consumer.errors();
}

}  // namespace

Result<void> run_reconstruct(Session& session, const ReconstructOptions& options) {
  auto fill = parse_fill(options.fill);
  if (!fill) return tl::unexpected<Error>(fill.error());
  if (!options.reference.empty() && options.reference != "exact") {
    return fail(ErrorCode::wrong_use, "--reference '" + options.reference + "' is not possible.",
                "Write --reference exact.");
  }
  auto chosen = choose(options.method, session);
  if (!chosen) return tl::unexpected<Error>(chosen.error());
  if (auto checked = check_output(options.out, options.colormap); !checked) return checked;
  if (auto writable = check_writable(options.out); !writable) return writable;
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const auto job = session.context(chosen->method->info().label);
  Booking frame_booking;
  auto frame = frame_of(options, *matrix->pattern, options.centered || options.out.ends_with(".png"), *job,
                        frame_booking);
  if (!frame) return tl::unexpected<Error>(frame.error());

  Request request;
  request.pattern = matrix->pattern;
  request.parameters = chosen->parameters;
  request.backend = session.backend();
  request.outputs = RequestedOutputs{.values = true, .features = false, .pyramid = false};
  auto spectrum = run_method(*chosen->method, request, *job);
  if (!spectrum) return tl::unexpected<Error>(spectrum.error());
  const Booking values(job->memory(), (*spectrum)->values.size() * sizeof(std::complex<float>), "samples");
  const Booking nodes(job->memory(), reconstruction_bytes(**spectrum), "reconstruction");
  auto reconstruction = Reconstruction::make(*spectrum, *fill, *matrix->pattern, *job);
  if (!reconstruction) return tl::unexpected<Error>(reconstruction.error());

  PlaneOutput plane;
  plane.rows = frame->rows.positions.size();
  plane.cols = frame->cols.positions.size();
  plane.u = std::move(frame->rows.frequencies);
  plane.v = std::move(frame->cols.frequencies);
  plane.real_row = [&](std::uint64_t r, std::span<float> out) {
    reconstruct_row(*reconstruction, plane.u[r], plane.v, out);
  };
  plane.real_samples = [&](std::uint64_t r, std::uint64_t first, std::uint64_t step, std::span<float> out) {
    std::vector<std::int64_t> v(out.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = plane.v[first + k * step];
    reconstruct_row(*reconstruction, plane.u[r], v, out);
  };
  plane.text = export_text(*matrix, **spectrum);
  plane.text.emplace_back("Fill", options.fill);
  plane.colormap = options.colormap;
  std::optional<ReconstructionErrors> errors;
  if (options.reference == "exact") {
    auto found = against_exact(session, *reconstruction, matrix->pattern, job->memory().current());
    if (!found) return tl::unexpected<Error>(found.error());
    errors = *found;
  }
  // Written last: after an interruption there is no file.
  const auto write_job = session.context("write " + options.out);
  const Booking beside(write_job->memory(), job->memory().current(), "reconstruction");
  auto written = write_plane(options.out, plane, *write_job);
  session.clear_progress();
  if (!written) return written;
  session.file_written();

  const Provenance& from = (*spectrum)->provenance;
  const Exactness exactness =
      (*spectrum)->exactness == Exactness::exact ? Exactness::exact : Exactness::estimate;
  Json object{{"file", matrix->report.file},
              {"method", from.method},
              {"block", block_json(*chosen->method, **spectrum)},
              {"fill", options.fill},
              {"rows", plane.rows},
              {"cols", plane.cols},
              {"exactness", to_string(exactness)},
              {"samples", (*spectrum)->values.size()},
              {"line_coefficients", reconstruction->line_coefficients()},
              {"out", options.out},
              {"backend", from.backend},
              {"device", from.device},
              {"seconds", seconds_json(matrix->report.seconds, from)},
              {"bytes", bytes_json(from)},
              {"seed", from.seed},
              {"version", from.version}};
  std::string quality;
  if (errors) {
    object["hellinger"] = errors->hellinger;
    object["recall_top10"] = errors->recall_top10;
    object["above_rounding"] = errors->above_rounding;
    quality = ", Hellinger " + number(errors->hellinger, 4) + ", top-10 % recall " +
              number(errors->recall_top10, 3);
    if (const std::string note = recall_note(*errors); !note.empty()) quality += " (" + note + ")";
  }
  session.print(object);
  session.line(options.out + ": " + std::to_string(plane.rows) + " × " + std::to_string(plane.cols) +
               " magnitudes, " + from.label + ", " + options.fill + quality);
  return session.finish();
}

}  // namespace spyctrum::cli
