// SPDX-License-Identifier: Apache-2.0
// The machine: which backend computes, what draws pictures on a CUDA device, how much memory is used. Owns
// the choice of the backend: that of the command line until the settings change; the CPU after a device has
// failed.
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
  /// `backend` (as parse_backend() reads it) overrides the settings until these change. `pictures` replaces
  /// the CUDA module's, for tests; may be null.
  MachineService(ServiceContext& context, std::optional<std::string> backend, cuda::Pictures* pictures);

  [[nodiscard]] Backend backend() const { return backend_; }
  /// Draws pictures on a device; null if the CPU draws.
  [[nodiscard]] const std::shared_ptr<DevicePictures>& pictures() const { return device_pictures_; }
  /// The device with which pictures() draws, for code that links textures to it; null if the CPU draws.
  [[nodiscard]] cuda::Pictures* drawing_device() const;
  /// Tells the user that the CPU computed what a device could not. A device that failed, rather than being
  /// full, is not used again.
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

  std::optional<std::string> overriding_;        ///< overrides the settings' backend
  std::optional<std::string> settings_backend_;  ///< the settings' backend at the last check
  cuda::Pictures* test_pictures_;
  Backend backend_;
  std::shared_ptr<DevicePictures> device_pictures_;
  bool closed_since_idle_ = false;  ///< a matrix was closed, whose jobs may still be running
  SteadyTime facts_due_{};
};

}  // namespace spyctrum
