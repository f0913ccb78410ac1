// SPDX-License-Identifier: Apache-2.0
// Parses the lines of a text on all threads of a job: one thread at a time takes the next block of whole
// lines from the stream, all threads parse their blocks, and results are committed in the order of the file.
// So a message names the first wrong line of the file for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/line_source.hpp"

namespace spyctrum {

/// Single use. `Parsed` is the result of parsing a block.
template <class Parsed>
class LineBlocks {
 public:
  LineBlocks(LineSource& lines, ByteSource& source, JobContext& context)
      : lines_(lines), source_(source), context_(context) {}

  /// Calls parse(text, worker) → Parsed for each block on any thread, and commit(text, parsed) for the blocks
  /// in order, also on any thread but never on two at once. Both may throw, which ends the reading. A failure
  /// of the stream is thrown after all lines before it were committed. Throws Failure{cancelled}.
  template <class Parse, class Commit>
  void run(const Parse& parse, const Commit& commit) {
    const unsigned threads = context_.pool().threads();
    ahead_ = kBlocksAhead * threads;
    context_.pool().parallel_for(
        threads, 1, [&](std::size_t, std::size_t, unsigned worker) { work(worker, parse, commit); });
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

 private:
  struct Block {
    TextBlock text;
    unsigned worker;
    Parsed parsed;
  };
  /// Per thread: how far parsing may run ahead of the oldest unfinished block.
  static constexpr std::uint64_t kBlocksAhead = 4;

  static std::string_view view(const TextBlock& text) { return {text.data(), text.size()}; }

  template <class Parse, class Commit>
  void work(unsigned worker, const Parse& parse, const Commit& commit) {
    TextBlock text;
    std::uint64_t ticket = 0;
    try {
      while (!stop_ && next(text, ticket, worker)) {
        Parsed parsed = parse(view(text), worker);
        finish(ticket, {std::move(text), worker, std::move(parsed)}, commit);
        context_.checkpoint(source_.consumed(), source_.total());
      }
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

  // Takes the next block of lines; returns false at the end. A failure of the stream is kept until the lines
  // before it have been parsed, since a wrong line among them must be reported first.
  bool next(TextBlock& text, std::uint64_t& ticket, unsigned worker) {
    const std::lock_guard lock(read_mutex_);
    wait_for_oldest(text, worker);
    if (stop_ || ended_) return false;
    try {
      ended_ = !lines_.next_block(text);
    } catch (...) {
      ended_ = true;
      read_failure_ = std::current_exception();
    }
    ticket = ticket_;
    if (!ended_) ++ticket_;
    return !ended_;
  }

  // Waits until parsing is not too far ahead of the commits. Gives `text` the memory of a committed block, so
  // that all blocks together take the memory of a few: the latest of this worker, if there is one, which may
  // be in its processor's cache.
  void wait_for_oldest(TextBlock& text, unsigned worker) {
    std::unique_lock lock(commit_mutex_);
    while (!stop_ && ticket_ - committed_ >= ahead_) {
      advanced_.wait_for(lock, std::chrono::milliseconds(10));
      context_.check_stop();
    }
    if (spare_.empty()) return;
    const auto own =
        std::ranges::find(spare_.rbegin(), spare_.rend(), worker, &std::pair<TextBlock, unsigned>::second);
    const auto latest = own == spare_.rend() ? spare_.end() - 1 : own.base() - 1;
    text.swap(latest->first);
    spare_.erase(latest);
  }

  template <class Commit>
  void finish(std::uint64_t ticket, Block&& block, const Commit& commit) {
    const std::lock_guard lock(commit_mutex_);
    waiting_.emplace(ticket, std::move(block));
    while (!waiting_.empty() && waiting_.begin()->first == committed_) {
      Block& oldest = waiting_.begin()->second;
      if (!stop_) commit_or_stop(commit, view(oldest.text), oldest.parsed);
      spare_.emplace_back(std::move(oldest.text), oldest.worker);
      waiting_.erase(waiting_.begin());
      ++committed_;
    }
    advanced_.notify_all();
  }

  /// A block whose commit throws remains the oldest one. All threads are stopped before the lock is released,
  /// so that none of them commits the block again.
  template <class Commit>
  void commit_or_stop(const Commit& commit, std::string_view text, Parsed& parsed) {
    try {
      commit(text, parsed);
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

  LineSource& lines_;
  ByteSource& source_;
  JobContext& context_;
  std::atomic<bool> stop_{false};

  std::mutex read_mutex_;     // guards lines_, ticket_, ended_ and read_failure_; locked before commit_mutex_
  std::uint64_t ticket_ = 0;  // number of blocks taken
  bool ended_ = false;
  std::exception_ptr read_failure_;
  std::uint64_t ahead_ = 0;  // most blocks taken and not yet committed

  std::mutex commit_mutex_;  // guards the members below
  std::condition_variable advanced_;
  std::map<std::uint64_t, Block> waiting_;
  std::vector<std::pair<TextBlock, unsigned>> spare_;  // texts of committed blocks and their workers
  std::uint64_t committed_ = 0;                        // number of blocks committed
};

}  // namespace spyctrum
