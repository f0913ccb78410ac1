// SPDX-License-Identifier: Apache-2.0
// spectrum: writes the coefficients of one method, all or in a window, to a file.
#include <cmath>

#include "app/cli/arrangement.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/cli/row_writer.hpp"
#include "core/io/export.hpp"

namespace spyctrum::cli {

namespace {

Result<SpectrumPtr> compute_values(Session& session, const Chosen& chosen, const Matrix& matrix,
                                   const SpectrumOptions& options, JobContext& job) {
  Request request;
  request.pattern = matrix.pattern;
  request.parameters = chosen.parameters;
  request.backend = session.backend();
  request.outputs = RequestedOutputs{.values = true, .features = false, .pyramid = false};
  if (!options.window.empty()) {
    auto window = parse_window(options.window, *matrix.pattern);
    if (!window) return tl::unexpected<Error>(window.error());
    request.window = *window;
  }
  return run_method(*chosen.method, request, job);
}

PlaneOutput output_of(const ArrangedSpectrum& arranged, const std::string& as) {
  PlaneOutput plane;
  plane.rows = arranged.rows();
  plane.cols = arranged.cols();
  plane.u = arranged.row_frequencies();
  plane.v = arranged.col_frequencies();
  plane.element = as == "complex" ? Element::complex64 : Element::float32;
  plane.real_is_power = as == "power";
  plane.complex_row = [&arranged](std::uint64_t r, std::span<std::complex<float>> out) {
    arranged.row(r, out);
  };
  plane.real_row = [&arranged, power = plane.real_is_power](std::uint64_t r, std::span<float> out) {
    std::vector<std::complex<float>> row(out.size());
    arranged.row(r, row);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = power ? std::norm(row[c]) : std::abs(row[c]);
  };
  return plane;
}

Result<void> write_scattered(Session& session, const SpectrumOptions& options, const Matrix& matrix,
                             const Spectrum& result) {
  const std::string provenance = provenance_lines(export_text(matrix, result));
  const ScatteredPoints& points = result.points;
  auto written =
      write_points(options.out, points.u, points.v, result.values, points.weight, provenance, session.stop());
  session.clear_progress();
  if (!written) return written;
  session.file_written();
  const Provenance& from = result.provenance;
  session.print({{"file", matrix.report.file},
                 {"method", from.method},
                 {"block", result.block},
                 {"samples", result.points.count()},
                 {"as", "complex"},
                 {"exactness", to_string(result.exactness)},
                 {"out", options.out},
                 {"backend", from.backend},
                 {"device", from.device},
                 {"seconds", seconds_json(matrix.report.seconds, from)},
                 {"bytes", bytes_json(from)},
                 {"note", from.note},
                 {"seed", from.seed},
                 {"version", from.version}});
  session.line(options.out + ": " + std::to_string(result.points.count()) + " scattered coefficients, " +
               from.label + ", " + to_string(result.exactness) + ", " + number(from.seconds, 3) + " s");
  session.line(from.note);
  return session.finish();
}

}  // namespace

Result<void> run_spectrum(Session& session, const SpectrumOptions& options) {
  auto chosen = choose(options.method, session);
  if (!chosen) return tl::unexpected<Error>(chosen.error());
  if (chosen->method->info().scattered && options.window.empty() && !options.out.ends_with(".npz"))
    return fail(
        ErrorCode::wrong_use,
        options.out + ": the values of " + chosen->method->info().label + " are scattered and form no plane.",
        "Write a .npz (u, v, values, weights), ask for a --window, or use reconstruct.");
  if (auto checked = check_output(options.out, options.colormap); !checked) return checked;
  if (auto writable = check_writable(options.out); !writable) return writable;
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const auto compute_job = session.context(chosen->method->info().label);
  auto spectrum = compute_values(session, *chosen, *matrix, options, *compute_job);
  if (!spectrum) return tl::unexpected<Error>(spectrum.error());

  const Spectrum& result = **spectrum;
  if (result.placement == Placement::scattered) return write_scattered(session, options, *matrix, result);
  const auto job = session.context("write " + options.out);
  const FrequencyGrid& grid = result.grid;
  const std::uint64_t rows = result.hermitian_half ? result.m : grid.rows.count();
  const Booking held(
      job->memory(),
      result.values.size() * sizeof(result.values[0]) + arrangement_bytes(rows, grid.cols.count()),
      "values and their frequencies");
  // Pictures of a whole plane are fftshifted.
  const bool centered = options.centered || options.out.ends_with(".png");
  const ArrangedSpectrum arranged(result, !options.window.empty(), centered);
  PlaneOutput plane = output_of(arranged, options.as);
  plane.text = export_text(*matrix, result);
  plane.colormap = options.colormap;
  auto written = write_plane(options.out, plane, *job);
  session.clear_progress();
  if (!written) return written;
  session.file_written();

  const Provenance& from = result.provenance;
  session.print({{"file", matrix->report.file},
                 {"method", from.method},
                 {"block", block_json(*chosen->method, result)},
                 {"rows", arranged.rows()},
                 {"cols", arranged.cols()},
                 {"as", options.as},
                 {"exactness", to_string(result.exactness)},
                 {"out", options.out},
                 {"backend", from.backend},
                 {"device", from.device},
                 {"seconds", seconds_json(matrix->report.seconds, from)},
                 {"bytes", bytes_json(from)},
                 {"seed", from.seed},
                 {"version", from.version}});
  session.line(options.out + ": " + std::to_string(arranged.rows()) + " × " +
               std::to_string(arranged.cols()) + " coefficients, " + from.label + ", " +
               to_string(result.exactness) + ", " + number(from.seconds, 3) + " s");
  return session.finish();
}

}  // namespace spyctrum::cli
