// SPDX-License-Identifier: Apache-2.0
// Toasts and the log: everything the program tells the user in words.
#pragma once

#include "app/controller/service.hpp"

namespace spyctrum {

class MessageService : public Service {
 public:
  using Service::Service;
  void handle(const action::Notify& chosen);
  void handle(const action::DismissToast& chosen);
  void handle(const action::PinToast& chosen);
  void handle(const action::ClearLog& /*chosen*/) { state().log.clear(); }

  /// Removes toasts that have expired.
  bool refresh(SteadyTime now) override;
  [[nodiscard]] std::optional<SteadyTime> next_change() const override;

 private:
  std::uint64_t next_toast_ = 1;
};

}  // namespace spyctrum
