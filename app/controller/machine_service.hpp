// SPDX-License-Identifier: Apache-2.0
// The machine that computes: which backend, what draws pictures on a CUDA device, how much memory is used.
// Owns the choice of the backend: the command line's wish until the settings change, the CPU once a device
// broke.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/controller/service.hpp"
#include "core/base/backend.hpp"
#include "core/device/device_pictures.hpp"

namespace spyctrum {

class MachineService : public Service {
 public:
  /// `backend` (as parse_backend() reads it) holds instead of the settings' until those change; `pictures`,
  /// for tests, instead of the CUDA module's; may be null.
  MachineService(ServiceContext& context, std::optional<std::string> backend, cuda::Pictures* pictures);

  [[nodiscard]] Backend backend() const { return backend_; }
  /// Draws pictures on a device; null: the CPU does.
  [[nodiscard]] const std::shared_ptr<DevicePictures>& pictures() const { return device_pictures_; }
  /// The device that pictures() draws with, for code that links textures to it; null: the CPU draws.
  [[nodiscard]] cuda::Pictures* drawing_device() const;
  /// Tells the user that the CPU computed what a device could not. A device that broke, rather than being
  /// full, is not used any more.
  void note_fallback(const std::string& what, const Error& error);

  void reconcile() override;
  bool refresh(SteadyTime now) override;
  void matrix_closed(bool was_selected) override;

 private:
  void choose_backend();
  void use_backend(Backend backend, std::string why_no_cuda);
  void use_cpu_for_good(const std::string& why);
  void wake_device();
  void refresh_device_memory();
  void release_closed();

  std::optional<std::string> overriding_;     ///< instead of the settings' backend
  std::optional<std::string> settings_wish_;  ///< the settings' backend when it was last looked at
  cuda::Pictures* test_pictures_;
  Backend backend_;
  std::shared_ptr<DevicePictures> device_pictures_;
  bool closed_since_idle_ = false;  ///< a matrix was closed; jobs of it may have been running
  SteadyTime facts_due_{};
};

}  // namespace spyctrum
