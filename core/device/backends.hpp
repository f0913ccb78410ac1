// SPDX-License-Identifier: Apache-2.0
// Which backends this machine offers: from the text that a user types to a Backend, and the names of devices.
#pragma once

#include <string>
#include <string_view>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

/// "cpu", "cuda", "cuda:N" or "auto" (the first usable CUDA device, else the
/// CPU). Errors: wrong_use for any other text; backend_unavailable with the
/// reason where that device does not exist or cannot be used.
[[nodiscard]] Result<Backend> parse_backend(std::string_view text);

/// Human name of the device: processor model and thread count, or GPU name.
[[nodiscard]] std::string device_name(Backend backend);

/// Why no CUDA device is used ("built without CUDA", "no driver", "CUDA is lost
/// until …"); empty when one is usable.
[[nodiscard]] std::string cuda_unavailable_reason();

}  // namespace spyctrum
