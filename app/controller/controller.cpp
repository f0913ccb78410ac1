// SPDX-License-Identifier: Apache-2.0
// Start and end of the controller, the turn of a frame, and what the status bar says.
#include "app/controller/controller.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "core/base/backend.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_job.hpp"
#include "core/device/loader.hpp"
#include "core/matrix/generators.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kLogEntries = 2000;
constexpr auto kInfoToast = std::chrono::seconds(5);
constexpr auto kErrorToast = std::chrono::seconds(12);
constexpr auto kFactsInterval = std::chrono::seconds(1);

std::vector<GalleryItem> gallery_items() {
  std::vector<GalleryItem> items;
  for (const GeneratorInfo& generator : generators()) {
    items.push_back({generator.label, generator.help, generator.example});
  }
  return items;
}

/// Resident set of this process; 0 where /proc does not tell.
std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string first_map(ColorMap::Kind kind) {
  for (const ColorMap& map : color_maps()) {
    if (map.kind == kind) return std::string(map.name);
  }
  return {};
}

std::string grouped(double value) {
  if (value < 9.95 && value != std::floor(value)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
  }
  std::string digits = std::to_string(static_cast<long long>(std::llround(value)));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string describe_view(const View& view, const PlaneRect& rect) {
  if (view.pixels.width == 0 || view.pixels.height == 0) return {};
  const double rows = rect.height() / view.pixels.height;
  const double cols = rect.width() / view.pixels.width;
  const std::string where = view.rect == view.full ? "whole spectrum" : "part of the spectrum";
  if (rows >= 1 || cols >= 1)
    return where + " · " + grouped(rows) + " × " + grouped(cols) + " coefficients a pixel";
  return where + " · " + grouped(1 / rows) + " × " + grouped(1 / cols) + " pixels a coefficient";
}

}  // namespace

std::string_view name_of(Row row) {
  switch (row) {
    case Row::pattern:
      return "pattern";
    case Row::spectrum:
      return "spectrum";
    case Row::reconstruction:
      return "reconstruction";
    case Row::error:
      return "error";
  }
  return "";
}

const Features* Column::features() const {
  if (estimate) return &estimate->features;
  return spectrum && spectrum->features ? &*spectrum->features : nullptr;
}

const std::vector<StrongCoefficient>* Column::strongest() const {
  const Spectrum* source = passed ? passed.get() : spectrum.get();
  return source == nullptr || source->strongest.empty() ? nullptr : &source->strongest;
}

const Column* AppState::column(ColumnId id) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& at) { return at.id == id; });
  return found == columns.end() ? nullptr : &*found;
}
Column* AppState::column(ColumnId id) { return const_cast<Column*>(std::as_const(*this).column(id)); }

const Column* AppState::reference() const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [](const Column& at) { return at.reference; });
  return found == columns.end() ? nullptr : &*found;
}

std::uint32_t largest_block(const AppState& state) {
  constexpr std::uint64_t kLeast = 128;
  const OpenMatrix* open = state.matrix();
  if (open == nullptr) return kLargestBlock;
  const SparsePattern& pattern = *open->matrix.pattern;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max(pattern.rows(), pattern.cols()), kLeast, kLargestBlock));
}

namespace {

/// A sixteenth more, and no more than two digits of it.
std::uint32_t with_room(std::uint32_t block) {
  const std::uint32_t more = block + (block + 15) / 16;
  std::uint32_t unit = 1;
  while (more / unit >= 100) unit *= 10;
  return (more + unit - 1) / unit * unit;
}

}  // namespace

ParameterValues advised_setting(const AppState& state, const Column& column) {
  if (!column.error) return {};
  ParameterValues setting = column.error->setting;
  const auto block = setting.find("block");
  if (block == setting.end()) return setting;
  const auto resolved = resolve(*find_method(column.method), setting);
  if (!resolved) return {};
  const auto advised = static_cast<std::uint32_t>(resolved->integer("block"));
  block->second = std::to_string(std::max(advised, std::min(with_room(advised), largest_block(state))));
  return setting;
}

PlaneRect picture_rect(const AppState& state, Plane plane) {
  const View& view = state.view(plane);
  PlaneRect rect = view.rect;
  if (!state.keep_aspect || view.pixels.width == 0 || view.pixels.height == 0) return rect;
  const double row_unit = rect.height() / view.pixels.height;
  const double col_unit = rect.width() / view.pixels.width;
  const double unit = std::max(row_unit, col_unit);
  const double more_rows = (unit * view.pixels.height - rect.height()) / 2;
  const double more_cols = (unit * view.pixels.width - rect.width()) / 2;
  return {rect.top - more_rows, rect.left - more_cols, rect.bottom + more_rows, rect.right + more_cols};
}

Controller::Controller(const Options& options) : Controller(options, remember(options.folders)) {}

Controller::Controller(const Options& options, Remembered remembered)
    : options_(options), runner_(options.threads.value_or(remembered.settings.threads), options.wake) {
  state_.settings = remembered.settings;
  state_.recent = std::move(remembered.recent);
  for (std::string& problem : remembered.problems) notify(Level::warning, std::move(problem));
  state_.gallery = gallery_items();
  state_.scale.color_map = first_map(ColorMap::Kind::sequential);
  const ColorMap* pattern_map = find_color_map("magma");
  state_.scale.pattern_color_map =
      pattern_map != nullptr ? std::string(pattern_map->name) : state_.scale.color_map;
  state_.scale.error_color_map = first_map(ColorMap::Kind::diverging);
  state_.status.threads = runner_.threads();
  choose_backend();
  state_.status.host_bytes_total = physical_memory_bytes();
  add_column("bs-fft");
  add_column("elastic");
  refresh_status();
}

Controller::~Controller() {
  if (settings_changed_) static_cast<void>(keep(options_.folders, state_.settings, state_.recent));
}

void Controller::dispatch(const Action& action) {
  std::visit([this](const auto& chosen) { handle(chosen); }, action);
  reconcile();
  refresh_jobs();
}

void Controller::dispatch(const ActionQueue& actions) {
  if (actions.empty()) return;
  for (const Action& action : actions) std::visit([this](const auto& chosen) { handle(chosen); }, action);
  reconcile();
  refresh_jobs();
}

bool Controller::poll() {
  const bool delivered = runner_.poll();
  const bool progressed = runner_.take_progress();
  if (delivered) reconcile();
  if (delivered || progressed) refresh_jobs();
  keep_settings();
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now >= facts_due_) {
    facts_due_ = now + kFactsInterval;
    state_.status.host_bytes_used = resident_bytes();
    refresh_device_memory();
  }
  if (closed_since_idle_ && runner_.idle()) {
    closed_since_idle_ = false;
    release_closed();
  }
  const bool expired = expire_toasts();
  const bool previewed = refresh_previews();
  const bool streamed = refresh_streams();
  only_progress_ = progressed && !delivered && !expired && !previewed && !streamed;
  return delivered || progressed || expired || previewed || streamed;
}

bool Controller::idle() const { return runner_.idle(); }

bool Controller::wait_until_idle(double seconds) {
  const SteadyTime until =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<SteadyTime::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    poll();
    if (idle()) return true;
    const double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    runner_.wait(left);
  }
}

double Controller::next_change_in() const {
  double least = -1;
  const SteadyTime now = std::chrono::steady_clock::now();
  const auto consider = [&](SteadyTime then) {
    const double left = std::max(0.0, std::chrono::duration<double>(then - now).count());
    if (least < 0 || left < least) least = left;
  };
  for (const Toast& toast : state_.toasts) consider(toast.expires);
  if (!previews_.empty()) consider(previews_due_);
  return least;
}

void Controller::set_renderer_facts(std::string renderer) { state_.status.renderer = std::move(renderer); }

void Controller::note_renewed_graphics(const std::string& reason, std::string renderer) {
  set_renderer_facts(std::move(renderer));
  ++state_.status.graphics_resets;
  notify(Level::warning, "The graphics driver was reset (" + reason +
                             "). The window was drawn anew; nothing that was computed is lost.");
}

void Controller::set_upload_path(std::string path, std::string reason) {
  state_.status.upload_path = std::move(path);
  state_.status.upload_reason = std::move(reason);
}

/// The backend of the command line, else of the settings. One that is not there is said once, and the CPU
/// takes its place.
void Controller::choose_backend() {
  const std::string& wanted = options_.backend ? *options_.backend : state_.settings.backend;
  const Result<Backend> chosen = parse_backend(wanted);
  if (!chosen) {
    notify(Level::warning, chosen.error().message());
    const std::string none = cuda_unavailable_reason();
    return use_backend({}, none.empty() ? chosen.error().what : none);
  }
  use_backend(*chosen, wanted == "cpu" ? std::string() : cuda_unavailable_reason());
}

cuda::Pictures* Controller::pictures() const {
  if (options_.pictures != nullptr) return options_.pictures;
  cuda::Module* module = backend_.kind == BackendKind::cuda ? cuda::loaded_module().module : nullptr;
  return module != nullptr ? &module->pictures() : nullptr;
}

void Controller::use_backend(Backend backend, std::string why_no_cuda) {
  backend_ = backend;
  device_pictures_.reset();
  if (cuda::Pictures* device = pictures())
    // What the jobs have sent to the device, pictures find there.
    device_pictures_ = std::make_shared<DevicePictures>(
        *device, Backend{BackendKind::cuda, backend.device},
        device == options_.pictures ? nullptr : device_cache(backend.device));
  StatusFacts& facts = state_.status;
  facts.on_device = backend.kind == BackendKind::cuda;
  facts.cuda_reason = facts.on_device ? std::string() : std::move(why_no_cuda);
  facts.backend = facts.on_device ? "CUDA · " + device_name(backend)
                                  : "CPU, " + std::to_string(runner_.threads()) +
                                        (runner_.threads() == 1 ? " thread" : " threads");
  wake_device();
}

/// The first work of a process on a device waits for the driver to load what it needs: before anybody asks.
void Controller::wake_device() {
  if (backend_.kind != BackendKind::cuda) return;
  JobRequest request = request_job(Lane::background, "wake", "Waking the device");
  request.background = true;
  request.listed = false;
  runner_.submit<bool>(
      request,
      [backend = backend_, pictures = device_pictures_](JobContext& context) {
        spyctrum::wake_device(backend, pictures, context);
        return true;
      },
      [](const Result<bool>&) {});  // what fails here fails again where it is asked for
}

void Controller::refresh_device_memory() {
  if (!device_pictures_) return state_.status.device_memory.reset();
  const std::optional<std::uint64_t> free = device_pictures_->free_now();
  if (!free) return;
  const DeviceCache::Held held = device_pictures_->cache().held();
  const DeviceJobBytes jobs = device_job_bytes();
  state_.status.device_memory = {held.patterns, held.orders, held.values, jobs.now, jobs.peak, *free};
}

/// What the device keeps of matrices that are closed goes at once: on a worker, for it may wait.
void Controller::release_closed() {
  if (!device_pictures_) return;
  JobRequest request = request_job(Lane::background, "device/release", "Memory of closed matrices");
  request.background = true;
  request.listed = false;
  runner_.submit<std::uint64_t>(
      request, [pictures = device_pictures_](JobContext&) { return pictures->cache().release_gone(); },
      [this](const Result<std::uint64_t>&) { refresh_device_memory(); });
}

/// What a device could not do was done by the CPU. A device that broke, rather than being full, is left alone
/// from then on.
void Controller::note_fallback(const std::string& what, const Error& error) {
  if (const std::string lost = cuda::loss(); !lost.empty()) {
    // Whatever else fails on the device from then on fails for this.
    if (state_.status.cuda_reason == lost) return;
    notify(Level::error, lost + ". The CPU computes from now on.");
    options_.pictures = nullptr;
    return use_backend({}, lost);
  }
  notify(Level::warning, what + ": " + error.what + " It was computed by the CPU instead.");
  if (error.code != ErrorCode::internal) return;
  options_.pictures = nullptr;
  use_backend({}, error.what);
}

void Controller::reconcile() {
  reconcile_pattern();
  for (Column& column : state_.columns) reconcile_arrangement(column);
  for (Column& column : state_.columns) reconcile_run(column);
  for (Column& column : state_.columns) reconcile_reconstruction(column);
  reconcile_hierarchies();
  reconcile_pictures();
  compare_features();
  reconcile_errors();
  reconcile_probe();
  reconcile_wave();
  reconcile_sweep();
  reconcile_theory();
  refresh_status();
}

JobRequest Controller::request_job(Lane lane, std::string key, std::string title) const {
  JobRequest request;
  request.lane = lane;
  request.key = std::move(key);
  request.title = std::move(title);
  request.memory_bytes = state_.settings.memory_bytes;
  request.seed = state_.settings.seed;
  return request;
}

std::string Controller::matrix_name() const {
  const OpenMatrix* matrix = state_.matrix();
  return matrix == nullptr ? std::string() : matrix->matrix.name;
}

void Controller::notify(Level level, std::string text, bool toast) {
  state_.log.push_back({std::chrono::system_clock::now(), level, text});
  if (state_.log.size() > kLogEntries) state_.log.pop_front();
  if (!toast) return;
  const auto stays = level == Level::info ? kInfoToast : kErrorToast;
  state_.toasts.push_back({next_toast_++, level, std::move(text), std::chrono::steady_clock::now() + stays});
}

bool Controller::expire_toasts() {
  const SteadyTime now = std::chrono::steady_clock::now();
  return std::erase_if(state_.toasts, [&](const Toast& toast) { return toast.expires <= now; }) > 0;
}

void Controller::refresh_jobs() {
  state_.jobs = runner_.views();
  for (LoadingMatrix& loading : state_.loading) {
    for (const JobView& job : state_.jobs) {
      if (job.id == loading.job) loading.progress = job.progress;
    }
  }
}

bool Controller::refresh_previews() {
  std::erase_if(previews_, [&](const auto& preview) {
    return std::ranges::none_of(state_.loading,
                                [&](const LoadingMatrix& loading) { return loading.job == preview.first; });
  });
  const SteadyTime now = std::chrono::steady_clock::now();
  if (previews_.empty() || now < previews_due_) return false;
  previews_due_ = now + kPreviewInterval;
  bool changed = false;
  for (LoadingMatrix& loading : state_.loading) {
    const auto known = previews_.find(loading.job);
    if (known == previews_.end()) continue;
    const PatternPreview::Snapshot snapshot = known->second->snapshot();
    if (snapshot.counts.empty() || snapshot.entries == loading.entries) continue;
    loading.preview = std::make_shared<const CellImage>(preview_image(snapshot));
    loading.range = {0, static_cast<float>(std::log10(
                            std::max<std::uint64_t>(10, *std::ranges::max_element(snapshot.counts))))};
    loading.entries = snapshot.entries;
    loading.announced = snapshot.announced;
    changed = true;
  }
  return changed;
}

void Controller::refresh_status() {
  state_.status.view.clear();
  state_.status.exactness.clear();
  if (state_.matrix() == nullptr) return;
  state_.status.view = describe_view(state_.view(Plane::spectrum), picture_rect(state_, Plane::spectrum));
  const Column* reference = state_.reference();
  if (reference == nullptr) return;
  const Picture& picture = reference->picture(Row::spectrum);
  if (picture.shown) {
    state_.status.exactness = to_string(picture.shown->exactness);
    if (picture.shown->sampled && picture.shown->exactness == Exactness::exact)
      state_.status.exactness += ", coarser than the pixels";
  }
}

void Controller::keep_settings() {
  if (!settings_changed_) return;
  settings_changed_ = false;
  if (options_.folders.config.empty() && options_.folders.state.empty()) return;
  JobRequest request = request_job(Lane::input_output, "settings", "Settings");
  request.background = true;
  request.listed = false;
  runner_.submit<bool>(
      request,
      [folders = options_.folders, settings = state_.settings, recent = state_.recent](JobContext&) {
        if (auto kept = keep(folders, settings, recent); !kept) throw Failure(kept.error());
        return true;
      },
      [this](Result<bool> kept) {
        if (!kept) notify(Level::warning, kept.error().message());
      });
}

}  // namespace spyctrum
