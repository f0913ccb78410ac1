// SPDX-License-Identifier: Apache-2.0
// spectrum: writes the coefficients of one method, all or in a window, to a file.
#include <cmath>
#include <utility>

#include "app/cli/arrangement.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/cli/row_writer.hpp"
#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"

namespace spyctrum::cli {

namespace {

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

void write_scattered(Session& session, const SpectrumOptions& options, const Matrix& matrix,
                     const Spectrum& result) {
  const std::string provenance = provenance_lines(export_text(matrix, result));
  const ScatteredPoints& points = result.points;
  std::vector<std::complex<float>> scaled;
  if (const double scale = scale_of(result, false); scale != 1)
    for (const std::complex<float> value : result.values)
      scaled.emplace_back(std::complex<double>(value) * scale);
  or_throw(write_points(options.out, points.u, points.v,
                        scaled.empty() ? std::span(result.values) : std::span(std::as_const(scaled)),
                        points.weight, provenance, session.stop()));
  session.file_written();
  const Provenance& from = result.provenance;
  Json object{
      {"file", matrix.report.file}, {"method", from.method}, {"block", result.block},
      {"samples", points.count()},  {"as", "complex"},       {"exactness", to_string(result.exactness)},
      {"out", options.out},         {"note", from.note}};
  add_weights(object, matrix);
  add_provenance(object, matrix, from);
  session.print(object);
  session.line(options.out, ": ", points.count(), " scattered coefficients, ", from.label, ", ",
               to_string(result.exactness), ", ", seconds_text(from.seconds));
  session.line(from.note);
}

}  // namespace

void run_spectrum(Session& session, const SpectrumOptions& options) {
  const Chosen chosen = choose(options.method, session);
  const MethodInfo& info = chosen.method->info();
  if (info.scattered && options.window.empty() && !options.out.ends_with(".npz"))
    throw Failure(ErrorCode::wrong_use,
                  options.out + ": the values of " + info.label + " are scattered and form no plane.",
                  "Write a .npz (u, v, values, weights), ask for a --window, or use reconstruct.");
  const std::optional<Window> window = parse_window(options.window);
  check_output(options.out, options.colormap, session.stop());
  const Matrix matrix = session.load_with_weights();
  ResolvedRequest request = request_for(session, matrix.pattern, chosen.parameters);
  request.outputs = RequestedOutputs{.values = true, .features = false, .pyramid = false};
  if (window) request.window = window->of(*matrix.pattern);
  const auto compute_job = session.context(info.label);
  const SpectrumPtr spectrum = or_throw(run_method(*chosen.method, std::move(request), *compute_job));

  const Spectrum& result = *spectrum;
  if (result.placement == Placement::scattered) return write_scattered(session, options, matrix, result);
  const auto job = session.context("write " + options.out);
  const FrequencyGrid& grid = result.grid;
  const std::uint64_t rows = result.hermitian_half ? result.m : grid.rows.count();
  const Booking held(
      job->memory(),
      result.values.size() * sizeof(result.values[0]) + arrangement_bytes(rows, grid.cols.count()),
      "values and their frequencies");
  // Pictures of a whole plane are fftshifted.
  const bool centered = options.centered || options.out.ends_with(".png");
  const ArrangedSpectrum arranged(result, window.has_value(), centered);
  PlaneOutput plane = output_of(arranged, options.as);
  plane.scale = scale_of(result, options.as == "power");
  plane.text = export_text(matrix, result);
  plane.colormap = options.colormap;
  write_plane(options.out, plane, *job);
  session.file_written();

  const Provenance& from = result.provenance;
  Json object{{"file", matrix.report.file},
              {"method", from.method},
              {"block", block_json(*chosen.method, result)},
              {"rows", plane.rows},
              {"cols", plane.cols},
              {"as", options.as},
              {"exactness", to_string(result.exactness)},
              {"out", options.out}};
  add_weights(object, matrix);
  add_provenance(object, matrix, from);
  session.print(object);
  session.line(options.out, ": ", sides_text(plane.rows, plane.cols), " coefficients, ", from.label, ", ",
               to_string(result.exactness), ", ", seconds_text(from.seconds));
}

}  // namespace spyctrum::cli
