// SPDX-License-Identifier: Apache-2.0
// One job at a time makes the thumbnails of one source; its end starts the next job.
#include "app/controller/files/thumbnail_service.hpp"

#include <algorithm>

#include "core/collection/thumbnail_cache.hpp"

namespace spyctrum {

namespace {

constexpr const char* kKey = "thumbnails";
/// Most bytes that a job may take, whatever size a matrix file announces.
constexpr std::uint64_t kMostMemory = std::uint64_t{2} << 30U;
/// The most files of a folder that are read before the user sees them: in total, and in one job.
constexpr std::size_t kMostAhead = 2000, kAheadAtOnce = 64;

}  // namespace

std::string ThumbnailService::cache() const {
  if (folder_.empty() || !state().settings.keep_thumbnails) return {};
  return folder_ + "/thumbnails.db";
}

std::vector<std::string> ThumbnailService::missing() {
  const ThumbnailMap& there = state().list_thumbnails;
  std::vector<std::string> sources;
  std::ranges::copy_if(on_screen_, std::back_inserter(sources),
                       [&](const std::string& source) { return !there.contains(source); });
  // Files that are not on the screen are read only if the settings keep thumbnails.
  if (!sources.empty() || state().interface.overlay != Overlay::folder || cache().empty()) return sources;
  const FolderList& folder = state().folder;
  if (std::exchange(listed_, folder.path) != folder.path) next_ = 0;
  const std::size_t end = std::min(folder.files.size(), kMostAhead);
  while (next_ < end && there.contains(folder.files[next_].path)) ++next_;
  for (std::size_t k = next_; k < end && sources.size() < kAheadAtOnce; ++k)
    if (!there.contains(folder.files[k].path)) sources.push_back(folder.files[k].path);
  return sources;
}

void ThumbnailService::reconcile() {
  const Overlay overlay = state().interface.overlay;
  if (overlay != Overlay::folder && overlay != Overlay::matrices) {
    jobs().drop(kKey);
    on_screen_.clear();
    state().list_thumbnails.clear();
    listed_.clear();
    return;
  }
  if (jobs().pending(kKey)) return;
  std::vector<std::string> sources = missing();
  if (sources.empty()) return;
  // In Lane::background thumbnails would wait for long jobs.
  JobRequest request = request_job(Lane::collection, kKey, {});
  request.memory_bytes = std::min(memory_allowance_bytes(request.memory_bytes), kMostMemory);
  const std::string first = sources.front();
  jobs().submit(
      request,
      [sources = std::move(sources), cache = cache()](JobContext& context) {
        return find_or_make_thumbnails(cache, sources, context);
      },
      [this, first](Result<ThumbnailMap> found) {
        ThumbnailMap& there = state().list_thumbnails;
        if (there.size() > kMostThumbnails) there.clear();
        if (found)
          there.merge(*found);
        else
          there[first] = nullptr;
      });
}

}  // namespace spyctrum
