// SPDX-License-Identifier: Apache-2.0
// reconstruct: the full-resolution magnitude plane from a method's samples, or a window of it; with
// --reference exact also its Hellinger distance from the exact plane, whose rows are streamed once.
#include "app/cli/arrangement.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/cli/row_writer.hpp"
#include "app/study/measurement.hpp"
#include "core/base/text.hpp"
#include "core/reconstruction/reconstruction.hpp"

namespace spyctrum::cli {

namespace {

/// Rows and columns of the output: the window, or the whole plane.
struct Frame {
  ArrangedAxis rows, cols;
};

/// Books the lists in `booking`. Throws Failure: wrong_use, out_of_memory.
Frame frame_of(const ReconstructOptions& options, const std::optional<Window>& window,
               const SparsePattern& pattern, JobContext& job, Booking& booking) {
  FrequencyGrid grid{FrequencyAxis::full(pattern.rows()), FrequencyAxis::full(pattern.cols())};
  // Pictures of a whole plane are fftshifted.
  Order order = options.centered || options.out.ends_with(".png") ? Order::centered : Order::dft;
  if (window) {
    grid = window->of(pattern);
    order = Order::as_computed;
  }
  booking = Booking(job.memory(), arrangement_bytes(grid.rows.count(), grid.cols.count()),
                    "list of the output's frequencies");
  return {arrange(grid.rows, order), arrange(grid.cols, order)};
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

/// Sets the functions that fill the rows of `plane`; they refer to both arguments.
void set_rows(PlaneOutput& plane, const Reconstruction& reconstruction) {
  plane.real_row = [&](std::uint64_t r, std::span<float> out) {
    reconstruct_row(reconstruction, plane.u[r], plane.v, out);
  };
  plane.real_samples = [&](std::uint64_t r, std::uint64_t first, std::uint64_t step, std::span<float> out) {
    std::vector<std::int64_t> v(out.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = plane.v[first + k * step];
    reconstruct_row(reconstruction, plane.u[r], v, out);
  };
}

ReconstructionErrors against_exact(Session& session, const Reconstruction& plane, const PatternPtr& pattern,
                                   std::uint64_t held_bytes) {
  const auto job = session.context("exact reference");
  const Booking held(job->memory(), held_bytes, "reconstruction");
  const Reconstruction* const planes[] = {&plane};
  const Method& exact = usual_method(MethodRole::plane);
  return errors_against_plane(exact, request_for(session, pattern, exact.defaults()), planes, *job).front();
}

/// Adds the fields of the errors; returns their text.
std::string add_quality(Json& object, const ReconstructionErrors& errors) {
  object["hellinger"] = errors.hellinger;
  object["recall_top10"] = errors.recall_top10;
  object["above_rounding"] = errors.above_rounding;
  const std::string note = recall_note(errors);
  return ", Hellinger " + number_text(errors.hellinger, 4) + ", top-10 % recall " +
         number_text(errors.recall_top10, 3) + (note.empty() ? "" : " (" + note + ")");
}

}  // namespace

void run_reconstruct(Session& session, const ReconstructOptions& options) {
  const Fill fill = or_throw(parse_fill(options.fill));
  if (!options.reference.empty() && options.reference != "exact")
    throw Failure(ErrorCode::wrong_use, "--reference '" + options.reference + "' is not possible.",
                  "Write --reference exact.");
  const Chosen chosen = choose(options.method, session);
  const std::optional<Window> window = parse_window(options.window);
  check_output(options.out, options.colormap, session.stop());
  const Matrix matrix = session.load_with_weights();
  const auto job = session.context(chosen.method->info().label);
  Booking frame_booking;
  Frame frame = frame_of(options, window, *matrix.pattern, *job, frame_booking);

  ResolvedRequest request = request_for(session, matrix.pattern, chosen.parameters);
  request.outputs = RequestedOutputs{.values = true, .features = false, .pyramid = false};
  const SpectrumPtr spectrum = or_throw(run_method(*chosen.method, std::move(request), *job));
  const Booking values(job->memory(), spectrum->values.size() * sizeof(std::complex<float>), "samples");
  const Booking nodes(job->memory(), reconstruction_bytes(*spectrum), "reconstruction");
  const Reconstruction reconstruction = or_throw(Reconstruction::make(spectrum, fill, *matrix.pattern, *job));

  PlaneOutput plane;
  plane.rows = frame.rows.positions.size();
  plane.cols = frame.cols.positions.size();
  plane.u = std::move(frame.rows.frequencies);
  plane.v = std::move(frame.cols.frequencies);
  plane.scale = scale_of(*spectrum, false);
  set_rows(plane, reconstruction);
  plane.text = export_text(matrix, *spectrum);
  plane.text.emplace_back("Fill", options.fill);
  plane.colormap = options.colormap;
  std::optional<ReconstructionErrors> errors;
  if (options.reference == "exact")
    errors = against_exact(session, reconstruction, matrix.pattern, job->memory().current());
  // Written last: after an interruption there is no file.
  const auto write_job = session.context("write " + options.out);
  const Booking beside(write_job->memory(), job->memory().current(), "reconstruction");
  write_plane(options.out, plane, *write_job);
  session.file_written();

  const Provenance& from = spectrum->provenance;
  const Exactness exactness =
      spectrum->exactness == Exactness::exact ? Exactness::exact : Exactness::estimate;
  Json object{{"file", matrix.report.file},
              {"method", from.method},
              {"block", block_json(*chosen.method, *spectrum)},
              {"fill", options.fill},
              {"rows", plane.rows},
              {"cols", plane.cols},
              {"exactness", to_string(exactness)},
              {"samples", spectrum->values.size()},
              {"line_coefficients", reconstruction.line_coefficients()},
              {"out", options.out}};
  add_weights(object, matrix);
  add_provenance(object, matrix, from);
  const std::string quality = errors ? add_quality(object, *errors) : "";
  session.print(object);
  session.line(options.out, ": ", sides_text(plane.rows, plane.cols), " magnitudes, ", from.label, ", ",
               options.fill, quality);
}

}  // namespace spyctrum::cli
