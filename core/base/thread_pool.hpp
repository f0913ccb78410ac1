// SPDX-License-Identifier: Apache-2.0
// Worker threads for the parallel loops of CPU jobs. A job runs on its own thread and divides its loops over
// the pool; the calling thread takes part, so that a pool of one thread is valid and two jobs may share a
// pool.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace spyctrum {

/// The number of threads to use: `requested`, at most 1024, or the number of processors if `requested` is 0.
[[nodiscard]] unsigned thread_count(unsigned requested);

class ThreadPool {
 public:
  /// `threads` includes the caller: 1 runs every loop on the calling thread; 0 means one thread per
  /// processor. If the system allows fewer (ulimit -u), the pool uses half of those that it allows and leaves
  /// the others to libraries that start threads.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] unsigned threads() const;

  /// Calls work(begin, end, worker) on disjoint ranges of at most `grain` that cover [0, count), from at most
  /// threads() threads at once. `worker` < threads() differs for calls that run at the same time. Ranges are
  /// handed out in ascending order. Returns when all calls have ended. The first exception ends the handing
  /// out and is rethrown here.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
