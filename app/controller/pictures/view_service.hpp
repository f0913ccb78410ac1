// SPDX-License-Identifier: Apache-2.0
// The linked view of each plane with its history, the scale by which values become colours, and the
// comparison aids. Owns the views of matrices that are open but not selected.
#pragma once

#include <array>
#include <map>

#include "app/controller/service.hpp"

namespace spyctrum {

class ViewService : public Service {
 public:
  explicit ViewService(ServiceContext& context);  ///< sets the colour maps of the first scale
  void handle(const action::SetPictureSize& chosen);
  void handle(const action::SetView& chosen);
  void handle(const action::FitView& chosen);
  void handle(const action::OneToOne& chosen);
  void handle(const action::ResetViews& chosen);
  void handle(const action::ViewBack& chosen);
  void handle(const action::ViewForward& chosen);
  void handle(const action::GoTo& chosen);
  void handle(const action::SetKeepAspect& chosen);
  void handle(const action::SetColumnLook& chosen);
  void handle(const action::SetScale& chosen);
  void handle(const action::AutoRange& chosen);
  void handle(const action::SetCompare& chosen);

  /// Sets the rectangle, or the nearest one whose sides lie between a quarter of a unit and twice the plane
  /// and whose centre lies in the plane. `remember`: the previous rectangle is added to the history.
  void set_view(Plane plane, PlaneRect rect, bool remember);
  /// Shows both planes of the selected matrix whole and clears the history.
  void fit_views();

  void reconcile() override;
  void forget_matrix() override;
  void matrix_selected() override;
  void matrix_closed(bool was_selected) override;

 private:
  struct LeftViews {
    std::uint64_t rows = 0, cols = 0;  ///< of the matrix that they are of
    std::array<View, kPlanes> views;
  };

  std::map<MatrixId, LeftViews> left_;
};

}  // namespace spyctrum
