// SPDX-License-Identifier: Apache-2.0
// Pictures, crosshair values and reconstruction errors as jobs compute them.
#include "app/controller/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>

#include "core/base/error.hpp"
#include "core/fft/lattice.hpp"
#include "core/matrix/reordering.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kHistogramBins = 96;
constexpr std::uint64_t kRowsAtOnce = 64;

/// Of log10 values; the outer thousandths are left out of its span, so that one stray pixel does not
/// squeeze the rest into a few bins.
Histogram histogram_of(std::vector<float>& values) {
  Histogram histogram;
  if (values.empty()) return histogram;
  const auto at = [&](double share) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  histogram.low = at(0.001);
  histogram.high = at(0.999);
  if (!(histogram.high > histogram.low)) {
    histogram.low -= 0.5F;
    histogram.high = histogram.low + 1;
  }
  histogram.counts.assign(kHistogramBins, 0);
  const float scale = static_cast<float>(kHistogramBins) / (histogram.high - histogram.low);
  for (const float value : values) {
    const float bin = (value - histogram.low) * scale;
    if (bin < 0 || bin > static_cast<float>(kHistogramBins)) continue;
    ++histogram.counts[std::min(kHistogramBins - 1, static_cast<std::size_t>(bin))];
  }
  return histogram;
}

/// Whether cell index k of `count` cells over [low, high) holds frequency 0, i.e. meets [−½, ½).
bool holds_zero(double low, double high, std::uint32_t count, std::uint32_t k) {
  const double step = (high - low) / count;
  return low + step * k < 0.5 && low + step * (k + 1) > -0.5;
}

std::vector<float> log_values(const CellImage& image, const RangeSpec& spec) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(image.height) * image.width);
  const std::size_t channel = spec.channel == Channel::mean ? 0 : 1;
  for (std::uint32_t row = 0; row < image.height; ++row) {
    const bool on_u = holds_zero(image.rect.top, image.rect.bottom, image.height, row);
    for (std::uint32_t col = 0; col < image.width; ++col) {
      const bool on_v = (spec.skip_axes || (spec.skip_dc && on_u)) &&
                        holds_zero(image.rect.left, image.rect.right, image.width, col);
      if ((spec.skip_axes && (on_u || on_v)) || (spec.skip_dc && on_u && on_v)) continue;
      const float value = image.cells[2 * (static_cast<std::size_t>(row) * image.width + col) + channel];
      if (std::isfinite(value) && value > 0) values.push_back(std::log10(value));
    }
  }
  return values;
}

CellImage draw(const PictureSpec& spec, JobContext& context) {
  const std::uint32_t height = spec.size.height;
  const std::uint32_t width = spec.size.width;
  switch (spec.source) {
    case PictureSpec::Source::entries:
      return pattern_image(*spec.pattern, spec.rect, height, width, context, spec.aid.hierarchy.get());
    case PictureSpec::Source::densities:
      return density_image(*spec.pattern, spec.block, spec.rect, height, width, context,
                           spec.aid.hierarchy.get());
    case PictureSpec::Source::kept:
      return decimated_image(*spec.pattern, spec.block, spec.rect, height, width, context);
    case PictureSpec::Source::coefficients: {
      const DisplayPyramid* pyramid =
          spec.spectrum && spec.spectrum->pyramid ? &*spec.spectrum->pyramid : nullptr;
      return exact_image(*spec.pattern, pyramid, spec.rect, height, width, kPictureBudget, context);
    }
    case PictureSpec::Source::samples:
      return sample_image(*spec.spectrum, spec.placement, spec.rect, height, width, context);
    case PictureSpec::Source::reconstruction:
      return reconstruction_image(*spec.reconstruction, spec.rect, height, width, context);
    case PictureSpec::Source::none:
      break;
  }
  throw Failure(ErrorCode::internal, "A picture was asked for without a source.");
}

CellImage draw_on(DevicePictures& device, const PictureSpec& spec, JobContext& context) {
  const std::uint32_t height = spec.size.height;
  const std::uint32_t width = spec.size.width;
  switch (spec.source) {
    case PictureSpec::Source::entries:
      return device.pattern_image(spec.pattern, spec.rect, height, width, context);
    case PictureSpec::Source::densities:
      return device.density_image(spec.pattern, spec.block, spec.rect, height, width, context);
    case PictureSpec::Source::kept:
      return device.decimated_image(spec.pattern, spec.block, spec.rect, height, width, context);
    case PictureSpec::Source::coefficients:
      return device.exact_image(spec.pattern, spec.spectrum, spec.rect, height, width, kPictureBudget,
                                context);
    case PictureSpec::Source::samples:
      if (spec.spectrum->placement == Placement::scattered) break;
      return device.sample_image(spec.spectrum, spec.placement, spec.rect, height, width, context);
    case PictureSpec::Source::reconstruction:
      if (!spec.reconstruction->nodes().magnitudes.empty())
        return device.reconstruction_image(*spec.reconstruction, spec.rect, height, width, context);
      break;
    case PictureSpec::Source::none:
      break;
  }
  return draw(spec, context);
}

struct NearestNode {
  std::uint64_t index = 0;
  std::int64_t frequency = 0;  ///< signed, of the axis's own dimension
};

/// The node of `axis` whose frequency is nearest to `wanted`, cyclically in axis.size().
NearestNode nearest_node(const FrequencyAxis& axis, double wanted) {
  const auto size = static_cast<double>(axis.size());
  NearestNode best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::uint64_t k) {
    const double apart = std::remainder(static_cast<double>(axis.signed_at(k)) - wanted, size);
    if (std::abs(apart) < least) {
      least = std::abs(apart);
      best = {k, axis.signed_at(k)};
    }
  };
  for (std::uint64_t k = 0; k < axis.count(); ++k) consider(k);
  return best;
}

/// Place in the m-long axis of node frequency s of a reduced m0-long one.
double place_of(std::int64_t s, std::uint64_t m0, std::uint64_t m, ReducedPlacement placement) {
  if (placement == ReducedPlacement::centre || m0 < 2) return static_cast<double>(s);
  const auto node = static_cast<double>(s + static_cast<std::int64_t>(m0 / 2));
  const std::uint64_t middle = m / 2;
  return -static_cast<double>(middle) + node * static_cast<double>(m - 1) / static_cast<double>(m0 - 1);
}

double node_of(std::int64_t u, std::uint64_t m0, std::uint64_t m, ReducedPlacement placement) {
  if (placement == ReducedPlacement::centre || m < 2) return static_cast<double>(u);
  const auto shifted = static_cast<double>(u + static_cast<std::int64_t>(m / 2));
  const std::uint64_t middle = m0 / 2;
  return shifted * static_cast<double>(m0 - 1) / static_cast<double>(m - 1) - static_cast<double>(middle);
}

ColumnProbe probe_column(const ProbeSource& source, const ProbeSpec& spec, double exact) {
  ColumnProbe result{.column = source.column};
  if (source.own_pattern) {
    result.coefficient = coefficient_at(*source.own_pattern, spec.u, spec.v);
    exact = std::abs(*result.coefficient);
  }
  if (source.spectrum) {
    if (const auto sample = nearest_sample(*source.spectrum, spec.u, spec.v, spec.placement)) {
      result.sample = std::complex<double>(sample->value);
      result.sample_u = sample->u;
      result.sample_v = sample->v;
    }
  }
  if (source.reconstruction) {
    float value = 0;
    source.reconstruction->row(spec.u, spec.v, 1, std::span(&value, 1));
    result.reconstruction = value;
    result.difference = static_cast<double>(value) - exact;
  }
  return result;
}

/// Feeds rows u = first, first+step, … to the consumers, a few at a time.
void feed_sampled_rows(const SparsePattern& pattern, std::uint64_t rows,
                       std::span<ReconstructionErrorConsumer* const> consumers, JobContext& context) {
  const auto m = pattern.rows();
  const auto n = pattern.cols();
  const std::uint64_t half = m / 2;
  const std::uint64_t step = std::max<std::uint64_t>(1, half / rows);
  const std::uint64_t count = half / step;
  const FrequencyAxis columns = FrequencyAxis::progression(n, 0, 1, n);
  for (std::uint64_t done = 0; done < count; done += kRowsAtOnce) {
    context.checkpoint(done, count);
    const std::uint64_t batch = std::min(kRowsAtOnce, count - done);
    const auto first = static_cast<std::int64_t>(1 + (step - 1) / 2 + done * step);
    const FrequencyGrid grid{FrequencyAxis::progression(m, first, static_cast<std::int64_t>(step), batch),
                             columns};
    const auto values = lattice_transform(pattern, grid, LatticeOptions{}, context);
    context.pool().parallel_for(batch, 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::int64_t u = first + static_cast<std::int64_t>(row * step);
        const SpectrumRow passing{u, 2 * static_cast<std::uint64_t>(u) != m,
                                  std::span(values).subspan(row * n, n)};
        for (ReconstructionErrorConsumer* consumer : consumers) {
          context.check_stop();
          consumer->consume(passing, worker);
        }
      }
    });
  }
}

/// Every row of the plane to the consumers, on the CPU where the device cannot.
Fallback stream_every_row(const ErrorSpec& spec, std::span<RowConsumer* const> consumers,
                          JobContext& context) {
  const Method* method = find_method(spec.stream_method);
  if (method == nullptr) throw Failure(ErrorCode::internal, "No method " + spec.stream_method + ".");
  Request request;
  request.pattern = spec.pattern;
  request.backend = spec.backend;
  Fallback fallback;
  Result<void> streamed = stream_method(*method, request, consumers, context);
  if (!streamed && is_for_cpu(spec.backend, streamed.error())) {
    fallback = streamed.error();
    request.backend = {};
    streamed = stream_method(*method, request, consumers, context);  // begin() forgets what they had taken
  }
  if (!streamed) throw Failure(streamed.error());
  return fallback;
}

}  // namespace

namespace {

PatternPtr diagonal_pattern(Index side) {
  std::vector<Index> diagonal(side);
  std::iota(diagonal.begin(), diagonal.end(), 0U);
  auto made = SparsePattern::from_coordinates(side, side, diagonal, diagonal);
  return made ? std::make_shared<const SparsePattern>(std::move(*made)) : nullptr;
}

/// What fails here fails again where it is asked for.
void wake_methods(Backend backend, ThreadPool& pool) {
  constexpr Index kSide = 20011;  // prime
  constexpr std::uint64_t kRows = 64;
  constexpr Index kSmall = 2048;
  Request request;
  request.backend = backend;
  const auto run = [&](const char* id) {
    JobContext context(pool);
    (void)run_method(*find_method(id), request, context);
  };
  request.pattern = diagonal_pattern(kSide);
  const FrequencyAxis few = FrequencyAxis::progression(kSide, 0, 1, kRows);
  request.window = FrequencyGrid{few, few};
  run("bs-fft");
  request.window.reset();
  run("elastic");
  run("density-map");
  // Whole planes are reduced where their rows are.
  request.pattern = diagonal_pattern(kSmall);
  request.outputs = {false, true, true, request.outputs.pyramid_cells};
  run("bs-fft");
}

void wake_pictures(DevicePictures& pictures, JobContext& context) {
  constexpr Index kSide = 20011;
  constexpr std::uint32_t kPixels = 64;
  const PatternPtr pattern = diagonal_pattern(kSide);
  (void)pictures.pattern_image(pattern, full_pattern_rect(kSide, kSide), kPixels, kPixels, context);
  (void)pictures.exact_image(pattern, nullptr, {-32.5, -32.5, 31.5, 31.5}, kPixels, kPixels, kPictureBudget,
                             context);
  (void)pictures.exact_image(pattern, nullptr, full_spectrum_rect(kSide, kSide), kPixels, kPixels,
                             kPictureBudget, context);
}

}  // namespace

void wake_device(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context) {
  static std::once_flag methods_awake;
  static std::once_flag pictures_awake;
  std::call_once(methods_awake, [&] { wake_methods(backend, context.pool()); });
  if (pictures)
    std::call_once(pictures_awake, [&] { (void)run_guarded([&] { wake_pictures(*pictures, context); }); });
}

bool is_for_cpu(Backend backend, const Error& error) {
  return backend.kind == BackendKind::cuda &&
         (error.code == ErrorCode::out_of_memory || error.code == ErrorCode::backend_unavailable ||
          error.code == ErrorCode::internal);
}

RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request, JobContext& context) {
  if (request.backend.kind == BackendKind::cuda) wake_device(request.backend, nullptr, context);
  RunOutcome outcome;
  Result<SpectrumPtr> result = run_method(method, request, context);
  if (!result && is_for_cpu(request.backend, result.error())) {
    outcome.fallback = result.error();
    ResolvedRequest again = request;
    again.backend = {};
    result = run_method(method, again, context);
  }
  if (!result) throw Failure(result.error());
  outcome.spectrum = std::move(*result);
  return outcome;
}

RangeSpec range_spec(const ScaleSettings& scale, Row row) {
  if (row == Row::pattern) return {0, 100, false, false, Channel::mean};
  return {scale.low_percent, scale.high_percent, scale.skip_dc, scale.skip_axes, scale.channel};
}

ImageRange measure(const CellImage& image, const RangeSpec& spec) {
  ImageRange measured;
  measured.range = automatic_range(image, spec.low_percent, spec.high_percent, spec.skip_dc, spec.skip_axes,
                                   spec.channel == Channel::mean ? 0 : 1);
  std::vector<float> values = log_values(image, spec);
  measured.histogram = histogram_of(values);
  return measured;
}

ImageRange measure_difference(const CellImage& image, const CellImage& against, const RangeSpec& spec) {
  std::vector<float> differences;
  const std::size_t cells = std::min(image.cells.size(), against.cells.size()) / 2;
  const std::size_t channel = spec.channel == Channel::mean ? 0 : 1;
  differences.reserve(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const float a = image.cells[2 * cell + channel];
    const float b = against.cells[2 * cell + channel];
    if (std::isfinite(a) && std::isfinite(b) && a > 0 && b > 0) differences.push_back(std::log10(a / b));
  }
  ImageRange measured;
  measured.histogram = histogram_of(differences);
  float limit = 1e-3F;
  if (!differences.empty()) {
    for (float& difference : differences) difference = std::abs(difference);
    const auto place =
        differences.begin() +
        static_cast<std::ptrdiff_t>(spec.high_percent / 100 * static_cast<double>(differences.size() - 1));
    std::nth_element(differences.begin(), place, differences.end());
    limit = std::max(limit, *place);
  }
  measured.range = {-limit, limit};
  return measured;
}

MadePicture make_picture(const PictureSpec& spec, const RangeSpec& range,
                         const std::shared_ptr<DevicePictures>& device, JobContext& context) {
  context.begin_stage("draw");
  MadePicture made;
  Result<CellImage> image =
      run_guarded([&] { return device ? draw_on(*device, spec, context) : draw(spec, context); });
  if (!image && device && is_for_cpu(device->backend(), image.error())) {
    made.fallback = image.error();
    image = run_guarded([&] { return draw(spec, context); });
  }
  if (!image) throw Failure(image.error());
  made.image = std::make_shared<const CellImage>(std::move(*image));
  context.check_stop();
  made.measured = measure(*made.image, range);
  return made;
}

std::optional<NearestSample> nearest_sample(const Spectrum& spectrum, std::int64_t u, std::int64_t v,
                                            ReducedPlacement placement) {
  if (spectrum.values.empty()) return std::nullopt;
  if (spectrum.placement == Placement::scattered) {
    const ScatteredPoints& points = spectrum.points;
    const std::size_t at = points.raster->point_near(u, v, points.u, points.v);
    return NearestSample{spectrum.values[at], static_cast<double>(points.u[at]),
                         static_cast<double>(points.v[at])};
  }
  const FrequencyAxis& rows = spectrum.grid.rows;
  const FrequencyAxis& cols = spectrum.grid.cols;
  const bool reduced = spectrum.placement == Placement::reduced_plane;
  const bool conjugate = spectrum.hermitian_half && u < 0;
  if (conjugate) {
    u = -u;
    v = -v;
  }
  const double row_wanted = reduced ? node_of(u, rows.size(), spectrum.m, placement) : static_cast<double>(u);
  const double col_wanted = reduced ? node_of(v, cols.size(), spectrum.n, placement) : static_cast<double>(v);
  const NearestNode row = nearest_node(rows, row_wanted);
  const NearestNode col = nearest_node(cols, col_wanted);
  NearestSample sample;
  sample.value = spectrum.values[row.index * cols.count() + col.index];
  sample.u = reduced ? place_of(row.frequency, rows.size(), spectrum.m, placement)
                     : static_cast<double>(row.frequency);
  sample.v = reduced ? place_of(col.frequency, cols.size(), spectrum.n, placement)
                     : static_cast<double>(col.frequency);
  if (conjugate) {
    sample.value = std::conj(sample.value);
    sample.u = -sample.u;
    sample.v = -sample.v;
  }
  return sample;
}

Arranged arrange(const ArrangementSpec& spec, JobContext& context) {
  if (spec.arrangement.kind == Arrangement::Kind::region) {
    const PlaneRect& region = spec.region.value();
    return {std::make_shared<const SparsePattern>(spec.whole->masked(
                static_cast<std::uint64_t>(region.top), static_cast<std::uint64_t>(region.left),
                static_cast<std::uint64_t>(region.height()), static_cast<std::uint64_t>(region.width()))),
            {}};
  }
  const OrderInfo* order = find_order(spec.arrangement.order);
  if (order == nullptr) throw Failure(ErrorCode::internal, "No order " + spec.arrangement.order + ".");
  Permutation permutation = find_permutation(*spec.whole, order->order, spec.arrangement.seed, context);
  return {std::make_shared<const SparsePattern>(permuted(*spec.whole, permutation, context)),
          std::move(permutation.note)};
}

Probe probe(const ProbeSpec& spec, JobContext& context) {
  Probe result;
  result.coefficient = coefficient_at(*spec.pattern, spec.u, spec.v);
  context.check_stop();
  const double exact = std::abs(result.coefficient);
  for (const ProbeSource& source : spec.sources) {
    result.columns.push_back(probe_column(source, spec, exact));
    context.check_stop();
  }
  return result;
}

ColumnErrors reconstruction_errors(const ErrorSpec& spec, JobContext& context) {
  const std::uint64_t m = spec.pattern->rows();
  const std::uint64_t n = spec.pattern->cols();
  std::vector<std::unique_ptr<ReconstructionErrorConsumer>> consumers;
  std::vector<ReconstructionErrorConsumer*> error_consumers;
  for (const auto& [column, reconstruction] : spec.reconstructions) {
    consumers.push_back(std::make_unique<ReconstructionErrorConsumer>(*reconstruction));
    error_consumers.push_back(consumers.back().get());
  }
  ColumnErrors errors;
  context.begin_stage("compare");
  const std::uint64_t rows = std::max<std::uint64_t>(1, kErrorCoefficients / n);
  if (spec.every_row || m / 2 + 1 <= rows) {
    const std::vector<RowConsumer*> passed(error_consumers.begin(), error_consumers.end());
    errors.fallback = stream_every_row(spec, passed, context);
  } else {
    for (ReconstructionErrorConsumer* consumer : error_consumers)
      consumer->begin(m, n, context.pool().threads());
    feed_sampled_rows(*spec.pattern, rows, error_consumers, context);
    for (ReconstructionErrorConsumer* consumer : error_consumers) consumer->finish();
  }
  for (std::size_t k = 0; k < consumers.size(); ++k) {
    errors.of_columns.emplace_back(spec.reconstructions[k].first, consumers[k]->errors());
  }
  return errors;
}

}  // namespace spyctrum
