// SPDX-License-Identifier: Apache-2.0
// Sums of a tile that are there before those of an earlier one are copied and wait. The thread that brings
// the missing sums passes on all that follow. Comparisons with reconstructions stay on their device until the
// end of its work; if the device fails, the others compute all of its tiles.
#include "core/device/device_group.hpp"

#include <algorithm>
#include <exception>
#include <forward_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace spyctrum {

namespace {

/// Thrown in the tasks of the other devices when one of them has ended the work.
struct Ended {};

/// A copy of the arguments of RowSumsReceiver::take().
class WaitingTile {
 public:
  WaitingTile(std::uint64_t rows, const Moments* sums, const cuda::TileResults& results,
              std::size_t cell_columns, MemoryLedger& memory)
      : booking_(
            memory,
            rows * sizeof *sums +
                results.cell_row_count * (sizeof *results.cell_rows + cell_columns * sizeof *results.cells) +
                results.strong_count * sizeof *results.strong,
            "sums of tiles that wait for earlier ones"),
        sums_(sums, sums + rows),
        cell_rows_(results.cell_rows, results.cell_rows + results.cell_row_count),
        cells_(results.cells, results.cells + results.cell_row_count * cell_columns),
        strong_(results.strong, results.strong + results.strong_count),
        has_all_strong_(results.has_all_strong) {}

  void pass_on(std::uint64_t first, cuda::RowSumsReceiver& receiver) const {
    cuda::TileResults results;
    results.cell_rows = cell_rows_.data();
    results.cells = cells_.data();
    results.cell_row_count = cell_rows_.size();
    results.strong = strong_.data();
    results.strong_count = strong_.size();
    results.has_all_strong = has_all_strong_;
    receiver.take(first, sums_.size(), sums_.data(), results);
  }

 private:
  Booking booking_;
  std::vector<Moments> sums_;
  std::vector<cuda::CellRow> cell_rows_;
  std::vector<cuda::CellSum> cells_;
  std::vector<cuda::StrongValue> strong_;
  bool has_all_strong_;
};

/// A ReconstructionReduction with arrays of its own, all zero.
class OwnComparison {
 public:
  OwnComparison(const cuda::ReconstructionReduction& shared, const cuda::ReconstructionReduction* next,
                MemoryLedger& memory)
      : shared_(shared),
        rows_(shared.m / 2 + 1),
        bins_(std::size_t{shared.reference_bins.count} * shared.estimate_bins.count),
        booking_(memory, rows_ * sizeof *shared.products + bins_ * sizeof *shared.histogram,
                 "comparisons of one device"),
        products_(rows_),
        histogram_(bins_),
        task_(shared) {
    task_.products = products_.data();
    task_.histogram = histogram_.data();
    task_.next = next;
  }
  [[nodiscard]] const cuda::ReconstructionReduction* task() const { return &task_; }

  /// Products of a row are those of the one device that computed the row, plus zeros.
  void add_to_shared() const {
    for (std::size_t u = 0; u < rows_; ++u) {
      shared_.products[u].cross += products_[u].cross;
      shared_.products[u].reference += products_[u].reference;
      shared_.products[u].estimate += products_[u].estimate;
    }
    for (std::size_t k = 0; k < bins_; ++k) shared_.histogram[k] += histogram_[k];
  }

 private:
  const cuda::ReconstructionReduction& shared_;
  std::size_t rows_;
  std::size_t bins_;
  Booking booking_;
  std::vector<cuda::MagnitudeProducts> products_;
  std::vector<std::uint64_t> histogram_;
  cuda::ReconstructionReduction task_;
};

/// The shared reductions with the receiver and the arrays of one device.
class OwnReductions {
 public:
  OwnReductions(const cuda::Reductions& shared, cuda::RowSumsReceiver& receiver, MemoryLedger& memory)
      : reductions_(shared) {
    if (shared.row_sums != nullptr) {
      reductions_.row_sums = &sums_.emplace(*shared.row_sums);
      sums_->receiver = &receiver;
    }
    reductions_.reconstructions = nullptr;
    for (const auto* task = shared.reconstructions; task != nullptr; task = task->next)
      reductions_.reconstructions =
          comparisons_.emplace_front(*task, reductions_.reconstructions, memory).task();
  }
  [[nodiscard]] const cuda::Reductions& reductions() const { return reductions_; }
  void add_to_shared() const {
    for (const OwnComparison& one : comparisons_) one.add_to_shared();
  }

 private:
  cuda::Reductions reductions_;
  std::optional<cuda::RowSumsReduction> sums_;
  std::forward_list<OwnComparison> comparisons_;
};

/// The queue of tiles and the tiles that wait. Thread-safe.
class SharedTiles {
 public:
  SharedTiles(const TilesToShare& tiles, JobContext& context) : tiles_(tiles), context_(context) {
    for (const auto* task = tiles.reductions.reconstructions; task != nullptr; task = task->next) {
      std::fill_n(task->products, task->m / 2 + 1, cuda::MagnitudeProducts{});
      std::fill_n(task->histogram, std::size_t{task->reference_bins.count} * task->estimate_bins.count, 0);
    }
  }

  /// Takes a tile from the queue, returned tiles first. A result ≥ `rows` means that none is left.
  [[nodiscard]] std::uint64_t next(std::set<std::uint64_t>& taken) {
    const std::lock_guard lock(mutex_);
    if (ended_) throw Ended();
    if (returned_.empty() && next_ >= tiles_.rows) return tiles_.rows;
    const std::uint64_t first = returned_.empty() ? std::exchange(next_, next_ + tiles_.tile)
                                                  : returned_.extract(returned_.begin()).value();
    taken.insert(first);
    begun_ += height(first);
    return first;
  }

  void take(std::uint64_t first, WaitingTile tile, std::set<std::uint64_t>& taken) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(first, std::move(tile));
    taken.erase(first);
    if (is_passing_on_) return;  // the thread that is passing on tiles will also pass on this one
    is_passing_on_ = true;
    while (!ended_ && !waiting_.empty() && waiting_.begin()->first == complete_) {
      const auto earliest = waiting_.extract(waiting_.begin());
      lock.unlock();
      try {
        earliest.mapped().pass_on(earliest.key(), *tiles_.reductions.row_sums->receiver);
      } catch (...) {
        end(std::current_exception());
        throw Ended();
      }
      lock.lock();
      complete_ += height(complete_);
    }
    is_passing_on_ = false;
  }

  /// Adds the results of a device that has computed all the tiles that it took and did not pass on.
  void add(const OwnReductions& results, const std::set<std::uint64_t>& taken) {
    const std::lock_guard lock(mutex_);
    results.add_to_shared();
    for (const std::uint64_t first : taken) complete_ += height(first);
  }

  /// Reports progress. Throws Ended, Failure{cancelled}.
  void check() {
    std::uint64_t done = 0;
    {
      const std::lock_guard lock(mutex_);
      if (ended_) throw Ended();
      done = tiles_.reductions.row_sums != nullptr ? complete_ : begun_;
    }
    context_.checkpoint(done, tiles_.rows);
  }

  void give_back(std::set<std::uint64_t>& taken) {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t first : taken) begun_ -= height(first);
    returned_.merge(taken);
  }
  void end(std::exception_ptr reason) {
    const std::lock_guard lock(mutex_);
    if (!ended_) reason_ = std::move(reason);
    ended_ = true;
  }

  [[nodiscard]] bool is_complete() const { return complete_ >= tiles_.rows; }
  /// Rethrows the exception that ended the work, if there was one.
  void rethrow() const {
    if (reason_) std::rethrow_exception(reason_);
  }
  [[nodiscard]] const TilesToShare& tiles() const { return tiles_; }
  [[nodiscard]] MemoryLedger& memory() const { return context_.memory(); }

 private:
  [[nodiscard]] std::uint64_t height(std::uint64_t first) const {
    return std::min(tiles_.tile, tiles_.rows - first);
  }

  const TilesToShare& tiles_;
  JobContext& context_;
  // guards the members below, and the sets of tiles that devices have taken
  std::mutex mutex_;
  std::uint64_t next_ = 0;            // first row of the first tile that was never taken
  std::set<std::uint64_t> returned_;  // tiles of devices that failed
  std::map<std::uint64_t, WaitingTile> waiting_;
  std::uint64_t begun_ = 0;     // rows of tiles that were taken and not returned
  std::uint64_t complete_ = 0;  // rows; with sums of rows the first ones, those that were passed on
  bool is_passing_on_ = false;  // a thread calls the receiver, without the mutex
  bool ended_ = false;
  std::exception_ptr reason_;
};

/// The tiles of one device.
class TilesOfDevice : public cuda::TileSource, public cuda::RowSumsReceiver {
 public:
  explicit TilesOfDevice(SharedTiles& shared) : shared_(shared) {}
  std::uint64_t next() override { return shared_.next(taken_); }
  void take(std::uint64_t first, std::uint64_t count, const Moments* sums,
            const cuda::TileResults& results) override {
    shared_.take(first, {count, sums, results, row_sums().cell_cols, shared_.memory()}, taken_);
  }
  [[nodiscard]] float least_strong() const override { return row_sums().receiver->least_strong(); }
  void add(const OwnReductions& results) { shared_.add(results, taken_); }
  void give_back() { shared_.give_back(taken_); }

 private:
  [[nodiscard]] const cuda::RowSumsReduction& row_sums() const {
    return *shared_.tiles().reductions.row_sums;
  }

  SharedTiles& shared_;
  std::set<std::uint64_t> taken_;
};

}  // namespace

DeviceUse share_tiles(std::span<const Backend> devices, const TilesToShare& tiles, JobContext& context,
                      const DeviceWork& work) {
  SharedTiles shared(tiles, context);
  struct Member {
    Backend device;
    DeviceUse use;
    std::exception_ptr failure;
  };
  const auto run = [&](Member& member) {
    TilesOfDevice own(shared);
    try {
      const OwnReductions results(tiles.reductions, own, context.memory());
      const DeviceUse use = work({member.device, own, results.reductions(), [&] { shared.check(); }});
      own.add(results);
      member.use = {member.use.seconds + use.seconds, std::max(member.use.bytes, use.bytes)};
    } catch (const Ended&) {
    } catch (const Failure& failure) {
      member.failure = std::current_exception();
      if (failure.error().code == ErrorCode::cancelled) shared.end(member.failure);
      own.give_back();
    } catch (...) {
      shared.end(std::current_exception());
    }
  };
  std::vector<Member> members;
  for (const Backend& device : devices) members.push_back({device, {}, nullptr});
  // If a device fails after the others have ended, a second pass computes its tiles.
  for (std::exception_ptr last; !shared.is_complete();) {
    std::vector<std::jthread> threads;
    Member* own = nullptr;  // of this thread
    for (Member& member : members) {
      if (member.failure) {
        last = member.failure;
      } else if (own == nullptr) {
        own = &member;
      } else {
        try {
          threads.emplace_back([&run, &member] { run(member); });
        } catch (const std::system_error&) {
          break;  // no more threads can be started: the devices that have a thread do all the work
        }
      }
    }
    if (own == nullptr) std::rethrow_exception(last);
    run(*own);
    threads.clear();  // waits for them
    shared.rethrow();
  }
  DeviceUse most;
  for (const Member& member : members)
    most = {std::max(most.seconds, member.use.seconds), std::max(most.bytes, member.use.bytes)};
  return most;
}

}  // namespace spyctrum
