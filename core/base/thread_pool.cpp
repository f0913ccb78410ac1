// SPDX-License-Identifier: Apache-2.0
// One queue of loops; each loop hands out its ranges by an atomic counter. A worker that joins a loop stays
// until no range is left; the caller waits only for ranges that workers are still running.
#include "core/base/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spyctrum {

namespace {

struct Loop {
  const std::function<void(std::size_t, std::size_t, unsigned)>* work = nullptr;
  std::size_t count = 0;
  std::size_t grain = 1;
  std::atomic<std::size_t> next{0};
  unsigned joined = 1;  // slot 0 is the caller; guarded by the pool's mutex
  unsigned busy = 0;    // workers inside the loop; guarded by the pool's mutex
  std::mutex failure_mutex;
  std::exception_ptr failure;

  void drain(unsigned worker) {
    for (;;) {
      const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) return;
      try {
        (*work)(begin, std::min(count, begin + grain), worker);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next.store(count, std::memory_order_relaxed);
      }
    }
  }
  [[nodiscard]] bool exhausted() const { return next.load(std::memory_order_relaxed) >= count; }
};

}  // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable idle;
  std::deque<Loop*> loops;
  bool stopping = false;
  std::vector<std::thread> workers;

  /// Starts workers up to `count`; returns false if the system gives fewer, which `workers` then contains.
  bool start(std::size_t count) {
    try {
      workers.reserve(count);
      while (workers.size() < count) workers.emplace_back([this] { serve(); });
      return true;
    } catch (const std::exception&) {  // no more threads, or no memory for another
      return false;
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
    stopping = false;
  }

  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stopping || !loops.empty(); });
      if (stopping) return;
      Loop* loop = loops.front();
      if (loop->exhausted()) {
        loops.pop_front();
        continue;
      }
      const unsigned slot = loop->joined++;
      ++loop->busy;
      if (loop->joined > workers.size()) loops.pop_front();
      lock.unlock();
      loop->drain(slot);
      lock.lock();
      --loop->busy;
      idle.notify_all();
    }
  }
};

unsigned thread_count(unsigned requested) {
  constexpr unsigned kMost = 1024;
  return requested != 0 ? std::min(requested, kMost) : std::max(1U, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) : impl_(std::make_unique<Impl>()) {
  for (std::size_t workers = thread_count(threads) - 1; !impl_->start(workers);) {
    workers = impl_->workers.size() / 2;
    impl_->stop();
  }
}

ThreadPool::~ThreadPool() { impl_->stop(); }

unsigned ThreadPool::threads() const { return static_cast<unsigned>(impl_->workers.size()) + 1; }

void ThreadPool::parallel_for(std::size_t count, std::size_t grain,
                              const std::function<void(std::size_t, std::size_t, unsigned)>& work) {
  if (count == 0) return;
  Loop loop;
  loop.work = &work;
  loop.count = count;
  loop.grain = std::max<std::size_t>(1, grain);
  const bool shared = !impl_->workers.empty() && count > loop.grain;
  if (shared) {
    const std::lock_guard lock(impl_->mutex);
    impl_->loops.push_back(&loop);
    // No more workers than there are ranges beside the caller's: on a host of 64 cores the others would only
    // wait for the mutex, one after the other.
    const std::size_t others = (count - 1) / loop.grain;
    if (others < impl_->workers.size())
      for (std::size_t k = 0; k < others; ++k) impl_->wake.notify_one();
    else
      impl_->wake.notify_all();
  }
  loop.drain(0);
  if (shared) {
    std::unique_lock lock(impl_->mutex);
    std::erase(impl_->loops, &loop);
    impl_->idle.wait(lock, [&] { return loop.busy == 0; });
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace spyctrum
