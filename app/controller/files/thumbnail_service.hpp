// SPDX-License-Identifier: Apache-2.0
// Thumbnails of the matrices in the open list: one after the other, those on the screen first. When the list
// closes they are removed from memory; the cache folder keeps them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/service.hpp"

namespace spyctrum {

/// Thumbnails of a list or a collection that are kept at once, of 8 KiB each.
inline constexpr std::size_t kMostThumbnails = 4096;

class ThumbnailService : public Service {
 public:
  /// `folder`: Folders::cache.
  ThumbnailService(ServiceContext& context, std::string folder)
      : Service(context), folder_(std::move(folder)) {}
  void handle(const action::RequestListThumbnails& chosen) { on_screen_ = chosen.sources; }
  /// Begins the next thumbnail; stops when no list is open.
  void reconcile() override;

 private:
  [[nodiscard]] std::string cache() const;
  /// Sources without a thumbnail, the most urgent first; empty: nothing is left to do.
  [[nodiscard]] std::vector<std::string> missing();

  std::string folder_;
  std::vector<std::string> on_screen_;
  std::string listed_;    ///< the folder whose files `next_` counts
  std::size_t next_ = 0;  ///< first file of the folder that may lack a thumbnail
};

}  // namespace spyctrum
