// SPDX-License-Identifier: Apache-2.0
// How long do files of each format take to read, how much memory beside the matrix, and how soon does a stop
// end it? One matrix in every format that can be written and as a list of edges; beside them SciPy's and
// h5py's own time for the same file, in the same run, where SPYCTRUM_PYTHON (else python3) has them. Medians
// of 5 after a warm-up; of stops, the longest of nine moments evenly spaced over a load.
// Usage: bench_formats [ENTRIES [THREADS]], default 3 million, one for each processor
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/io/reader.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/generators.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Seconds of one load; `peak`: bytes booked at most, above those of the matrix.
double load_once(const std::string& path, ValueUse values, ThreadPool& pool, double* peak = nullptr) {
  JobContext context(pool);
  const auto began = Clock::now();
  const auto matrix = load_matrix(path, {.values = values}, context);
  const double seconds = seconds_since(began);
  if (!matrix) {
    std::fprintf(stderr, "%s\n", matrix.error().message().c_str());
    std::exit(3);
  }
  if (peak != nullptr)
    *peak = static_cast<double>(context.memory().peak()) - static_cast<double>(matrix->pattern->bytes());
  return seconds;
}

double load(const std::string& path, ValueUse values, ThreadPool& pool) {
  load_once(path, values, pool);
  std::vector<double> seconds;
  for (int run = 0; run < 5; ++run) seconds.push_back(load_once(path, values, pool));
  return median(std::move(seconds));
}

/// The longest time from a request to stop to the end of the load.
double stop_seconds(const std::string& path, double load_seconds, ThreadPool& pool) {
  double longest = 0;
  for (int tenth = 1; tenth < 10; ++tenth) {
    std::stop_source stop;
    Clock::time_point asked;
    std::thread asker([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(load_seconds * tenth / 10));
      asked = Clock::now();
      stop.request_stop();
    });
    JobContext context(pool, {.stop = stop.get_token(), .on_progress = {}});
    const auto matrix = load_matrix(path, {.values = ValueUse::keep}, context);
    const auto ended = Clock::now();
    asker.join();
    if (!matrix) longest = std::max(longest, std::chrono::duration<double>(ended - asked).count());
  }
  return longest;
}

constexpr const char* kPeer = R"(import sys, time
try:
    import numpy, scipy.io, scipy.sparse, h5py
except ImportError as missing:
    print(missing, file=sys.stderr); sys.exit(1)
def h5(path):
    with h5py.File(path) as f: return [f[name][:] for name in f]
folder = sys.argv[1]
matrix = scipy.sparse.load_npz(folder + '/real.npz')
scipy.sparse.save_npz(folder + '/packed.npz', matrix)
with h5py.File(folder + '/packed.h5', 'w') as f:
    for name, data in (('data', matrix.data), ('indices', matrix.indices), ('indptr', matrix.indptr)):
        f.create_dataset(name, data=data, compression='gzip', shuffle=True, chunks=True)
    f['shape'] = matrix.shape
    f.attrs['format'] = 'csc'
def edges(path):
    table = numpy.loadtxt(path, dtype=numpy.int64)
    return scipy.sparse.coo_matrix((numpy.ones(len(table), bool), table.T)).tocsc()
read = {'npz': scipy.sparse.load_npz, 'h5': h5, 'rb': scipy.io.hb_read, 'mtx': lambda p: scipy.io.mmread(p).tocsc(), 'edges': edges}
for path in sys.argv[2:] + [folder + '/packed.npz', folder + '/packed.h5']:
    ending = path.rsplit('.', 1)[1]
    if ending not in read: continue
    try:
        read[ending](path)
        times = []
        for run in range(5 if ending != 'edges' else 1):
            began = time.perf_counter(); read[ending](path); times.append(time.perf_counter() - began)
        print(path, sorted(times)[len(times) // 2])
    except ValueError: pass
)";

std::map<std::string, double> peer_seconds(const std::vector<std::string>& files, const std::string& folder) {
  const std::string script = folder + "/peer.py";
  std::ofstream(script) << kPeer;
  const char* const named = std::getenv("SPYCTRUM_PYTHON");  // NOLINT(concurrency-mt-unsafe): one thread
  std::string command = std::string(named != nullptr ? named : "python3") + " " + script + " " + folder;
  for (const std::string& file : files) command += " " + file;
  std::map<std::string, double> seconds;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return seconds;
  char path[4096];
  double time = 0;
  while (std::fscanf(pipe, "%4095s %lf", path, &time) == 2) seconds[path] = time;
  pclose(pipe);
  return seconds;
}

void write_edges(const SparsePattern& pattern, const std::string& path) {
  std::ofstream out(path);
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k)) out << row << '\t' << pattern.column_ids()[k] << '\n';
}

/// Random places in both directions, without a diagonal, so that METIS holds them too.
Matrix matrix_of(const std::string& entries, JobContext& context) {
  Matrix matrix = or_throw(generate("gen:random:n=100000,nnz=" + entries + ",seed=1", context));
  EntryChunks chunks(1);
  const SparsePattern& pattern = *matrix.pattern;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k)) {
      const Index col = pattern.column_ids()[k];
      if (row < col) chunks[0].insert(chunks[0].end(), {pack_entry(row, col), pack_entry(col, row)});
    }
  matrix.pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_packed(pattern.rows(), pattern.cols(), std::move(chunks), context));
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  ThreadPool pool(argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0);
  const std::string folder = (std::filesystem::temp_directory_path() / "spyctrum_formats_bench").string();
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  {
    JobContext context(pool);
    Matrix matrix = matrix_of(argc > 1 ? argv[1] : "3000000", context);
    const auto write = [&](const std::string& name) {
      files.push_back(folder + "/" + name);
      or_throw(write_matrix(matrix, *or_throw(writer_for(name)), files.back(), "benchmark", context));
    };
    for (const char* name : {"pattern.mtx", "pattern.graph", "pattern.rb", "pattern.npz", "pattern.bsp.h5"})
      write(name);
    files.push_back(folder + "/pattern.edges");
    write_edges(*matrix.pattern, files.back());
    std::mt19937 random(1);
    std::vector<float> values(static_cast<std::size_t>(matrix.pattern->nonzeros()));
    for (float& value : values) value = static_cast<float>(random()) / 4e9F - 0.5F;
    matrix.values = std::make_shared<const std::vector<float>>(std::move(values));
    matrix.report.field = "real";
    for (const char* name : {"real.mtx", "real.rb", "real.npz", "real.bsp.h5"}) write(name);
  }
  const std::map<std::string, double> peers = peer_seconds(files, folder);
  for (const char* name : {"packed.npz", "packed.h5"})
    if (std::filesystem::exists(folder + "/" + name)) files.push_back(folder + "/" + name);
  std::printf("%u threads; seconds; peer: SciPy or h5py\n", pool.threads());
  std::printf("%-16s %8s %9s %9s %8s %9s %10s %10s %9s %9s\n", "file", "MB", "load", "values", "MB/s",
              "/ mtx", "peer", "peer/load", "more MB", "stop ms");
  double market = 0;
  for (const std::string& file : files) {
    const double megabytes = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
    const double seconds = load(file, ValueUse::none, pool);
    const double with_values = load(file, ValueUse::keep, pool);
    double more = 0;
    load_once(file, ValueUse::none, pool, &more);
    const double rate = megabytes / seconds;
    if (market == 0) market = rate;
    const auto peer = peers.find(file);
    std::printf("%-16s %8.1f %9.4f %9.4f %8.0f %9.2f", std::filesystem::path(file).filename().c_str(),
                megabytes, seconds, with_values, rate, rate / market);
    if (peer == peers.end())
      std::printf(" %10s %10s", "-", "-");
    else
      std::printf(" %10.4f %10.2f", peer->second, peer->second / seconds);
    std::printf(" %9.1f %9.1f\n", more / 1e6, 1e3 * stop_seconds(file, with_values, pool));
  }
  std::filesystem::remove_all(folder);
  return 0;
}
