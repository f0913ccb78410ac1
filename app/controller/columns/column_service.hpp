// SPDX-License-Identifier: Apache-2.0
// Method, parameters, block size and order of the columns, and which of them is the reference. Writes only
// the user's choices into AppState::columns; computed members belong to the other services of this folder.
// Owns no data.
#pragma once

#include <string>

#include "app/controller/service.hpp"

namespace spyctrum {

class ColumnService : public Service {
 public:
  using Service::Service;
  void handle(const action::AddColumn& chosen);
  void handle(const action::RemoveColumn& chosen);
  void handle(const action::MoveColumn& chosen);
  void handle(const action::SetColumnMethod& chosen);
  void handle(const action::SetColumnParameter& chosen);
  void handle(const action::SetColumnBlock& chosen);
  void handle(const action::SetColumnOwnRange& chosen);
  void handle(const action::SetColumnLarge& chosen);
  void handle(const action::SetBlock& chosen);
  void handle(const action::ApplyAdvice& chosen);
  void handle(const action::UseSetting& chosen);

 private:
  ColumnId add_column(const std::string& method);  ///< returns 0 if there is no such method
};

/// Makes the first exact column of the matrix as it is the reference, and labels all columns accordingly.
void choose_reference(AppState& state);

}  // namespace spyctrum
