// SPDX-License-Identifier: Apache-2.0
// Converts public requests to internal ones and results to public values.

#include "core/base/text.hpp"
#include "core/device/backends.hpp"
#include "core/io/reader.hpp"
#include "core/library/impl.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::v0 {

static_assert(static_cast<int>(ErrorCode::internal) == static_cast<int>(spyctrum::ErrorCode::internal));
static_assert(static_cast<int>(Exactness::estimate) == static_cast<int>(spyctrum::Exactness::estimate));

Error to_public(const spyctrum::Error& error) {
  return {static_cast<ErrorCode>(error.code), error.what, error.advice};
}

Exactness to_public(spyctrum::Exactness exactness) { return static_cast<Exactness>(exactness); }

JobContext Engine::Impl::context(const Job& job) const {
  JobContext::Options options{
      .memory_bytes = settings.memory_bytes, .seed = settings.seed, .stop = job.stop, .on_progress = {}};
  if (job.on_progress)
    options.on_progress = [&job](const spyctrum::Progress& progress) {
      job.on_progress({progress.stage, progress.done, progress.total});
    };
  return {pool, std::move(options)};
}

namespace {

const Method& method_named(const std::string& id) {
  if (const Method* method = find_method(id)) return *method;
  throw Failure(
      spyctrum::ErrorCode::wrong_use, "There is no method '" + id + "'.",
      "Choose " + joined(spyctrum::methods(), [](const auto& one) { return one->info().id; }) + ".");
}

FrequencyGrid grid_of(const Window& window, const SparsePattern& pattern) {
  constexpr std::uint64_t kMostAlong = std::uint64_t{1} << 30U;
  const auto axis = [&](std::uint64_t size, std::int64_t origin, std::int64_t step, std::uint64_t count) {
    if (count < 1 || count > kMostAlong || step == 0)
      throw Failure(spyctrum::ErrorCode::wrong_use, "The window contains no coefficients.",
                    "Height and width are 1 to 2^30, steps are not 0.");
    return FrequencyAxis::progression(size, origin, step, count);
  };
  return {axis(pattern.rows(), window.u0, window.step_u, window.height),
          axis(pattern.cols(), window.v0, window.step_v, window.width)};
}

ResolvedRequest internal_request(const Engine::Impl& engine, const Method& method, const Matrix& matrix,
                                 const Request& given) {
  ResolvedRequest request;
  request.pattern = matrix.impl().matrix.pattern;
  request.parameters = or_throw(resolve(method, {given.parameters.begin(), given.parameters.end()}));
  request.backend = engine.backend;
  request.outputs = {.values = given.values, .features = given.features, .pyramid = false};
  if (given.window) request.window = grid_of(*given.window, *request.pattern);
  return request;
}

std::vector<std::int64_t> frequencies(const FrequencyAxis& axis, bool as_requested) {
  std::vector<std::int64_t> all(axis.count());
  for (std::uint64_t k = 0; k < all.size(); ++k) all[k] = as_requested ? axis.at(k) : axis.signed_at(k);
  return all;
}

Features public_features(const spyctrum::Features& from) {
  return {.entropy = from.entropy,
          .radial = from.radial,
          .sectors = from.sectors,
          .low_frequency_ratio = from.low_frequency_ratio,
          .flatness = from.flatness,
          .imbalance = from.imbalance,
          .total_power = from.total_power,
          .samples = from.samples};
}

Spectrum public_spectrum(SpectrumPtr result, bool is_window) {
  Spectrum::Impl impl;
  if (result->placement == Placement::scattered) {
    impl.u = {result->points.u.begin(), result->points.u.end()};
    impl.v = {result->points.v.begin(), result->points.v.end()};
  } else if (!result->values.empty()) {
    impl.u = frequencies(result->grid.rows, is_window);
    impl.v = frequencies(result->grid.cols, is_window);
  }
  if (result->features) impl.features = public_features(*result->features);
  const spyctrum::Provenance& from = result->provenance;
  impl.provenance = {.method = from.method,
                     .parameters = {from.parameters.begin(), from.parameters.end()},
                     .backend = from.backend,
                     .device = from.device,
                     .version = from.version,
                     .note = from.note,
                     .seed = from.seed,
                     .seconds = from.seconds,
                     .peak_bytes = from.bytes_peak};
  impl.spectrum = std::move(result);
  return Spectrum(std::make_shared<const Spectrum::Impl>(std::move(impl)));
}

}  // namespace

Result<Engine> Engine::create(const Settings& settings) {
  return guarded<Engine>([&] {
    return Engine(std::make_shared<const Impl>(settings, or_throw(parse_backend(settings.backend))));
  });
}

Engine::Engine(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

std::string Engine::backend() const { return to_string(impl_->backend); }
std::string Engine::device() const { return device_name(impl_->backend); }

Result<Matrix> Engine::load(const std::string& file, const Job& job) const {
  return guarded<Matrix>([&] {
    JobContext context = impl_->context(job);
    return Matrix(
        std::make_shared<const Matrix::Impl>(Matrix::Impl{or_throw(load_matrix(file, {}, context))}));
  });
}

Result<Spectrum> Engine::run(const Matrix& matrix, const Request& request, const Job& job) const {
  return guarded<Spectrum>([&] {
    JobContext context = impl_->context(job);
    const Method& method = method_named(request.method);
    SpectrumPtr result =
        or_throw(run_method(method, internal_request(*impl_, method, matrix, request), context));
    return public_spectrum(std::move(result), request.window.has_value());
  });
}

Result<Features> Engine::features(const Matrix& matrix, const std::string& method,
                                  const Parameters& parameters, const Job& job) const {
  const auto spectrum = run(matrix, {.method = method, .parameters = parameters, .values = false}, job);
  if (!spectrum) return spectrum.error();
  if (!spectrum->features())
    return Error{ErrorCode::internal, "The method " + method + " computed no features.", {}};
  return *spectrum->features();
}

Result<Spectrum> Engine::window(const Matrix& matrix, const Window& window, const Job& job) const {
  return run(matrix, {.window = window, .features = false}, job);
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> all;
  for (const auto& method : spyctrum::methods()) {
    const spyctrum::MethodInfo& info = method->info();
    MethodInfo listed{info.id, info.label, info.summary, to_public(info.exactness), {}};
    for (const Parameter& parameter : method->parameters())
      listed.parameters.push_back({parameter.name, parameter.help, parameter.default_value, parameter.minimum,
                                   parameter.maximum, parameter.choices});
    all.push_back(std::move(listed));
  }
  return all;
}

std::string version() { return SPYCTRUM_VERSION; }

}  // namespace spyctrum::v0
