// SPDX-License-Identifier: Apache-2.0
// Points are at (v/n, u/m) in the unit square; a bisector is a half-plane relative to the cell's point.
#include "core/frequency/voronoi_areas.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace spyctrum {

namespace {

struct Place {
  double x = 0;
  double y = 0;
};

double dot(Place a, Place b) { return a.x * b.x + a.y * b.y; }

/// A convex polygon that is cut by half-planes.
class Polygon {
 public:
  void begin(double left, double right, double bottom, double top) {
    corners_.assign({{left, bottom}, {right, bottom}, {right, top}, {left, top}});
  }
  /// Keeps the part with p·d ≤ most.
  void cut(Place d, double most) {
    const auto excess = [&](Place p) { return dot(p, d) - most; };
    if (std::ranges::none_of(corners_, [&](Place p) { return excess(p) > 0; })) return;
    kept_.clear();
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Place from = corners_[k];
      const Place to = corners_[k + 1 == corners_.size() ? 0 : k + 1];
      const double at_from = excess(from);
      const double at_to = excess(to);
      if (at_from <= 0) kept_.push_back(from);
      if ((at_from < 0 && at_to > 0) || (at_from > 0 && at_to < 0)) {
        const double share = at_from / (at_from - at_to);
        kept_.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
      }
    }
    std::swap(corners_, kept_);
  }
  /// The largest |p|² of the corners.
  [[nodiscard]] double reach_square() const {
    double most = 0;
    for (const Place p : corners_) most = std::max(most, dot(p, p));
    return most;
  }
  [[nodiscard]] double area() const {
    double twice = 0;
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Place a = corners_[k];
      const Place b = corners_[k + 1 == corners_.size() ? 0 : k + 1];
      twice += a.x * b.y - a.y * b.x;
    }
    return twice / 2;
  }

 private:
  std::vector<Place> corners_;
  std::vector<Place> kept_;
};

/// The points by square buckets of the plane, about two to a bucket.
class Buckets {
 public:
  Buckets(std::uint64_t m, std::uint64_t n, std::span<const std::int32_t> u, std::span<const std::int32_t> v,
          JobContext& context)
      : m_(static_cast<double>(m)),
        n_(static_cast<double>(n)),
        left_(-(std::floor(n_ / 2) + 0.5) / n_),
        bottom_(-(std::floor(m_ / 2) + 0.5) / m_),
        u_(u),
        v_(v),
        side_(side_for(u.size())),
        ends_(context, static_cast<std::size_t>(side_ * side_ + 1), "points by bucket"),
        order_(context, u.size(), "points by bucket") {
    for (std::size_t k = 0; k < u.size(); ++k)
      if (!is_left_out(k)) ++ends_.data[bucket_of(k) + 1];
    for (std::size_t b = 1; b < ends_.data.size(); ++b) ends_.data[b] += ends_.data[b - 1];
    // ends_[b] advances from the first position of bucket b to the position behind its last.
    for (std::size_t k = 0; k < u.size(); ++k)
      if (!is_left_out(k))
        order_.data[ends_.data[bucket_of(k)]++] = static_cast<std::uint32_t>(k);
      else
        leaves_out_dc_ = true;
  }
  static std::int64_t side_for(std::size_t points) {
    return std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(points) / 2)));
  }
  [[nodiscard]] bool is_left_out(std::size_t k) const { return u_[k] == 0 && v_[k] == 0 && u_.size() > 1; }

  /// Sets `cell` to that of point k, in coordinates relative to it.
  void find(std::size_t k, Polygon& cell) const {
    const Place own = place(k);
    cell.begin(left_ - own.x, left_ + 1 - own.x, bottom_ - own.y, bottom_ + 1 - own.y);
    double reach = cell.reach_square();
    const auto [column, row] = bucket_at(own);
    const double width = 1 / static_cast<double>(side_);
    const double x = own.x - left_ - static_cast<double>(column) * width;
    const double y = own.y - bottom_ - static_cast<double>(row) * width;
    const double gap = std::max(0.0, std::min({x, width - x, y, width - y}));  // to the own bucket's edge
    for (std::int64_t ring = 0; ring <= side_; ++ring) {
      // the least distance of a point of this ring
      const double nearest = static_cast<double>(ring - 1) * width + gap;
      if (nearest > 0 && nearest * nearest >= 4 * reach) break;
      for (std::int64_t r = std::max<std::int64_t>(0, row - ring); r <= std::min(side_ - 1, row + ring);
           ++r) {
        const bool is_whole = std::abs(r - row) == ring;
        const std::int64_t step = is_whole || ring == 0 ? 1 : 2 * ring;
        for (std::int64_t c = column - ring; c <= column + ring; c += step) {
          if (c < 0 || c >= side_) continue;
          const auto bucket = static_cast<std::size_t>(r * side_ + c);
          for (std::uint32_t at = bucket == 0 ? 0 : ends_.data[bucket - 1]; at < ends_.data[bucket]; ++at) {
            const std::size_t other = order_.data[at];
            if (other == k) continue;
            const Place there = place(other);
            const Place d{there.x - own.x, there.y - own.y};
            const double square = dot(d, d);
            if (square >= 4 * reach) continue;
            cell.cut(d, square / 2);
            reach = cell.reach_square();
          }
        }
      }
    }
  }
  /// Cuts point k's `cell` down to the part that is within half a coefficient, along both axes, of the
  /// omitted (0, 0); returns its area.
  [[nodiscard]] double share_of_dc(std::size_t k, Polygon& cell) const {
    const Place own = place(k);
    const Place apart{std::max(0.0, std::abs(own.x) - 0.5 / n_), std::max(0.0, std::abs(own.y) - 0.5 / m_)};
    if (!leaves_out_dc_ || dot(apart, apart) > cell.reach_square()) return 0;
    cell.cut({1, 0}, 0.5 / n_ - own.x);
    cell.cut({-1, 0}, 0.5 / n_ + own.x);
    cell.cut({0, 1}, 0.5 / m_ - own.y);
    cell.cut({0, -1}, 0.5 / m_ + own.y);
    return cell.area();
  }

 private:
  [[nodiscard]] Place place(std::size_t k) const {
    return {static_cast<double>(v_[k]) / n_, static_cast<double>(u_[k]) / m_};
  }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> bucket_at(Place p) const {
    const auto along = [&](double offset) {
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset * static_cast<double>(side_)), 0,
                                      side_ - 1);
    };
    return {along(p.x - left_), along(p.y - bottom_)};
  }
  [[nodiscard]] std::size_t bucket_of(std::size_t k) const {
    const auto [column, row] = bucket_at(place(k));
    return static_cast<std::size_t>(row * side_ + column);
  }

  double m_;
  double n_;
  double left_;
  double bottom_;
  std::span<const std::int32_t> u_;
  std::span<const std::int32_t> v_;
  std::int64_t side_;
  BookedVector<std::uint32_t> ends_;
  BookedVector<std::uint32_t> order_;
  bool leaves_out_dc_ = false;
};

/// The point that is the conjugate of point k, if it is there.
std::optional<std::size_t> mirror_of(std::size_t k, std::uint64_t m, std::uint64_t n,
                                     std::span<const std::int32_t> u, std::span<const std::int32_t> v) {
  const auto mirrored = [](std::int32_t s, std::uint64_t size) {
    return 2 * std::int64_t{s} == -static_cast<std::int64_t>(size) ? s : -s;
  };
  const std::pair mirror(mirrored(u[k], m), mirrored(v[k], n));
  std::size_t first = 0;
  for (std::size_t last = u.size(); first < last;) {
    const std::size_t middle = first + (last - first) / 2;
    if (std::pair(u[middle], v[middle]) < mirror)
      first = middle + 1;
    else
      last = middle;
  }
  if (first == u.size() || std::pair(u[first], v[first]) != mirror) return std::nullopt;
  return first;
}

}  // namespace

std::vector<float> voronoi_areas(std::uint64_t m, std::uint64_t n, std::span<const std::int32_t> u,
                                 std::span<const std::int32_t> v, JobContext& context) {
  const Buckets buckets(m, n, u, v, context);
  BookedVector<double> areas(context, u.size(), "areas");
  const double plane = static_cast<double>(m) * static_cast<double>(n);
  constexpr std::size_t kGrain = 1024;
  context.pool().parallel_for(u.size(), kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    context.check_stop();
    Polygon cell;
    for (std::size_t k = begin; k < end; ++k) {
      areas.data[k] = 1;
      if (buckets.is_left_out(k)) continue;
      buckets.find(k, cell);
      const double area = cell.area();
      areas.data[k] = plane * (area - buckets.share_of_dc(k, cell));
    }
  });
  std::vector<float> result(u.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    const std::size_t mirror = mirror_of(k, m, n, u, v).value_or(k);
    result[k] = static_cast<float>((areas.data[k] + areas.data[mirror]) / 2);
  }
  context.check_stop();
  return result;
}

std::uint64_t voronoi_areas_bytes(std::uint64_t points) {
  const auto side = static_cast<std::uint64_t>(Buckets::side_for(points));
  return 4 * (side * side + 1) + 12 * points;
}

}  // namespace spyctrum
