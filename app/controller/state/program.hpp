// SPDX-License-Identifier: Apache-2.0
// The state of the program: the machine, settings, dialogs and panels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/controller/state/pictures.hpp"

namespace spyctrum {

/// Memory of the CUDA device: resident data, memory of jobs, free memory.
struct DeviceMemory {
  std::uint64_t patterns = 0;  ///< the entries of open matrices
  std::uint64_t orders = 0;    ///< the entries, sorted for the views that were drawn
  std::uint64_t values = 0;    ///< of spectra and pyramids that were drawn
  std::uint64_t jobs = 0;      ///< at present; resident data counts here while a job uses it
  std::uint64_t jobs_peak = 0;
  std::uint64_t free = 0;  ///< on the device, for any program
};

struct StatusFacts {
  std::string backend = "CPU";  ///< "CPU, 2 threads", "CUDA · NVIDIA H200"
  bool on_device = false;       ///< methods and pictures are computed by a CUDA device
  std::string cuda_reason;      ///< why no CUDA device is used; empty if one is used or the CPU was chosen
  unsigned threads = 1;
  std::uint64_t host_bytes_used = 0;  ///< resident set of this process
  std::uint64_t host_bytes_total = 0;
  std::string upload_path;    ///< "pixel buffer", "interop": filled by the frame
  std::string upload_reason;  ///< why not interop though a device computes; filled by the frame
  std::string renderer;       ///< GL_RENDERER: filled by the frame
  std::string view;           ///< "whole spectrum · 27 × 27 coefficients a pixel"
  std::string exactness;      ///< of the reference picture shown: "exact", "exact samples", …
  std::optional<DeviceMemory> device_memory{};  ///< while a device draws
  /// How often OpenGL was lost and opened again.
  unsigned graphics_resets = 0;
};

enum class Theme { dark, light };

/// Stored in the configuration folder.
struct Settings {
  double ui_scale = 0;  ///< 0: the monitor's own
  Theme theme = Theme::dark;
  unsigned threads = 0;            ///< 0: all processors; takes effect at the next start
  std::uint64_t memory_bytes = 0;  ///< allowance of a job; 0: three quarters of what is available
  std::uint64_t seed = 1;
  bool drop_zeros = false;                   ///< explicit zeros are not entries (files opened from now on)
  bool keep_thumbnails = true;               ///< of matrices in lists, in the cache folder
  std::string backend = "auto";              ///< as parse_backend() reads it
  bool square_units = true;                  ///< one unit of a picture is as high as it is wide
  GridForm grid_form = GridForm::automatic;  ///< arrangement of the pictures
  unsigned grid_lines = 0;                   ///< lines of methods, at most kMostGridLines; 0: automatic
  double good_enough = 0;  ///< exact features stop once no standard error exceeds it; 0: with the last row
  friend bool operator==(const Settings&, const Settings&) = default;
};

enum class Overlay {
  none,
  gallery,
  help,
  about,
  related,
  go_to,
  preferences,
  palette,
  folder,
  matrices,
  lessons
};

/// Dialogs and panels; the dock layout itself is kept by the panels (imgui.ini in the state folder).
struct InterfaceState {
  Overlay overlay = Overlay::gallery;  ///< the gallery is open until a file is requested
  bool presentation = false;           ///< large type; only the pictures are shown
  bool side_panels = true;             ///< Ctrl+B
  bool log_open = false;
  std::uint64_t layout_resets = 0;  ///< grows: the panels rebuild the default dock layout
  std::size_t focused_column = 0;   ///< index into columns: Tab, 1 … 9
  bool can_undo = false, can_redo = false;
  bool quit = false;
  /// If not empty: the frame writes the screen (PNG) there after the next draw and answers with CaptureDone.
  std::string capture_path;
};

}  // namespace spyctrum
