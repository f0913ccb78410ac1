// SPDX-License-Identifier: Apache-2.0
// The collection that is open. Its database is read, and waits for locks, in jobs of a lane of its own; if it
// cannot be read, the previous table stays.
#pragma once

#include <memory>

#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class CollectionService : public Service {
 public:
  CollectionService(ServiceContext& context, MachineService& machine) : Service(context), machine_(machine) {}
  void handle(const action::OpenCollection& chosen);
  void handle(const action::CloseCollection& chosen);
  void handle(const action::ShowCollection& chosen);
  void handle(const action::ChooseInCollection& chosen);
  void handle(const action::RequestThumbnails& chosen);
  void handle(const action::FindNeighbours& chosen);
  void handle(const action::IndexFolder& chosen);

  /// Finds the neighbours of the selected matrix where there is a table.
  void reconcile() override;
  void matrix_selected() override { state().collection.whole = false; }
  void forget_matrix() override;

 private:
  void read();
  void choose();
  /// Compares the selected matrix with all rows; computes its signature where the table has none.
  void find_neighbours();
  [[nodiscard]] PatternPtr pattern_in_view() const;

  MachineService& machine_;
  /// The pattern whose neighbours are known or searched for; null: no search was begun.
  PatternPtr compared_;
  std::shared_ptr<const CollectionTable> compared_with_;
};

}  // namespace spyctrum
