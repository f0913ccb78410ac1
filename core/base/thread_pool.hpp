// SPDX-License-Identifier: Apache-2.0
// Worker threads for the data-parallel loops of CPU jobs. A job runs on a
// thread of its own and divides its loops over the pool; the calling thread
// takes part, so a pool of one is valid and two jobs may share a pool.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace spyctrum {

/// `asked`, at most 1024, or the number of processors where `asked` is 0.
[[nodiscard]] unsigned thread_count(unsigned asked);

class ThreadPool {
 public:
  /// `threads` includes the caller: 1 runs every loop on the calling thread; 0
  /// means one thread per processor. Where the system refuses so many (ulimit -u), half of those that it
  /// gave are used: the others are left to libraries that start threads of their own.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] unsigned threads() const;

  /// Calls work(begin, end, worker) on disjoint ranges of at most `grain` covering [0, count), from at most
  /// threads() threads at once; `worker` < threads() names a scratch slot no other running call of this loop
  /// uses. Ranges are handed out in ascending order. Returns when all are done. The first exception thrown
  /// stops the handing-out and is rethrown here.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
