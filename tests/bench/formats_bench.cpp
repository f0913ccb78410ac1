// SPDX-License-Identifier: Apache-2.0
// How long do files of each format take to read, how much memory beside the matrix, and how soon does a stop
// end it? One matrix in every format that can be written and as a list of edges; beside them the time of
// SciPy, h5py and, for Matrix Market, fast_matrix_market (unsorted triplets; else SciPy) for the same file,
// in the same run, where SPYCTRUM_PYTHON (else python3) has them; those that it lacks are named. The least of
// nine, in which all files take turns, for the peers too, by the clock and of processor time (of all threads
// and processes, on a busy machine the fairer one);
// "ready": until it is also known whether the pattern is symmetric, how many entries each row has, and the
// pattern's fingerprint, which the window and every computation need and a conversion does not; "first": the
// least of five loads, each the only one of its process, in which no memory is used again (of a peer after it
// has read a small file of the format, as it would load its libraries otherwise); of stops, the
// longest of nine moments evenly spaced over a load. Memory: the resident set of a process that
// loads the file, at its peak, without what it had at the start and without the pattern and the values of the
// matrix. Usage: bench_formats [ENTRIES [ROWS [THREADS]]], default 3 million, 100,000, one for each
// processor; or
//        bench_formats --load FILES pattern|values THREADS, which prints the times of any files, separated by
//        commas, and those of a byte over those of the first file; or
//        bench_formats --processes FILES pattern THREADS, which prints the least times of nine whole
//        processes for each file, by turns: `spyctrum-cli info FILE` of the folder of this program, and
//        Python that imports the one module that reads the file's format and reads its arrays; or
//        bench_formats --peak|--stop|--first FILE pattern|values THREADS, which prints for any file the bytes
//        of memory, the milliseconds of the longest stop, or the seconds of one load
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/process/process.hpp"
#include "core/io/reader.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/generators.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

struct Times {
  double clock = 0, processor = 0;  // seconds
};

/// Of this process and of those that it started and that have ended.
double processor_seconds() {
  double sum = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(whose, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

struct LoadTimes {
  Times load, ready;
};

/// `bytes`: of the pattern and the values.
LoadTimes load_once(const std::string& path, ValueUse values, ThreadPool& pool,
                    std::uint64_t* bytes = nullptr) {
  JobContext context(pool);
  const double before = processor_seconds();
  const auto began = Clock::now();
  const auto matrix = load_matrix(path, {.values = values}, context);
  LoadTimes times;
  times.load = {seconds_since(began), processor_seconds() - before};
  if (!matrix) {
    std::fprintf(stderr, "%s\n", matrix.error().message().c_str());
    std::exit(3);
  }
  matrix->pattern->determine_properties(context);
  times.ready = {seconds_since(began), processor_seconds() - before};
  if (bytes != nullptr) {
    *bytes = matrix->pattern->bytes();
    for (const auto& part : {matrix->values, matrix->imaginary})
      if (part != nullptr) *bytes += part->size() * sizeof(float);
  }
  return times;
}

/// The least times of nine loads of each file, which take turns so that other work on the machine meets all
/// of them, in an order that is drawn for each round: how much memory can be used again, up to a tenth of the
/// processor time, depends on the load before.
std::vector<LoadTimes> load_all(const std::vector<std::string>& files, ValueUse values, ThreadPool& pool) {
  std::vector<LoadTimes> least(files.size(), {{1e9, 1e9}, {1e9, 1e9}});
  const auto take_less = [](Times& least_of, const Times& one) {
    least_of = {std::min(least_of.clock, one.clock), std::min(least_of.processor, one.processor)};
  };
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (int round = 0; round < 9; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t k : order) {
      const LoadTimes one = load_once(files[k], values, pool);
      take_less(least[k].load, one.load);
      take_less(least[k].ready, one.ready);
    }
  }
  return least;
}

/// Prints the bytes beside the matrix at the peak.
int print_peak(const std::string& file, ValueUse values, ThreadPool& pool) {
  std::uint64_t pages = 0, bytes = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  load_once(file, values, pool, &bytes);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("%.0f\n", 1024.0 * static_cast<double>(used.ru_maxrss) -
                            static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) -
                            static_cast<double>(bytes));
  return 0;
}

std::vector<std::string> files_of(const std::string& names) {
  std::vector<std::string> files;
  std::istringstream list(names);
  for (std::string file; std::getline(list, file, ',');) files.push_back(file);
  return files;
}

int print_loads(const std::string& names, ValueUse values, ThreadPool& pool) {
  const std::vector<std::string> files = files_of(names);
  const std::vector<LoadTimes> times = load_all(files, values, pool);
  const auto per_byte = [&](std::size_t k, double seconds) {
    return seconds / static_cast<double>(std::filesystem::file_size(files[k]));
  };
  const auto print = [&](std::size_t k, const char* what, Times LoadTimes::*of) {
    const Times& own = times[k].*of;
    const Times& first = times[0].*of;
    std::printf("%s %.4f s, %.4f s of processor time; per byte %.2f, %.2f", what, own.clock, own.processor,
                per_byte(k, own.clock) / per_byte(0, first.clock),
                per_byte(k, own.processor) / per_byte(0, first.processor));
  };
  for (std::size_t k = 0; k < files.size(); ++k) {
    print(k, (files[k] + ": load").c_str(), &LoadTimes::load);
    print(k, "; ready", &LoadTimes::ready);
    std::printf("\n");
  }
  return 0;
}

/// The one or two numbers that a command prints.
Times numbers_of(const std::string& command) {
  Times numbers;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return numbers;
  if (std::fscanf(pipe, "%lf %lf", &numbers.clock, &numbers.processor) < 1) numbers = {};
  pclose(pipe);
  return numbers;
}

std::string own_command(const char* mode, const std::string& file, const char* use, unsigned threads) {
  return std::filesystem::read_symlink("/proc/self/exe").string() + " " + mode + " " + file + " " + use +
         " " + std::to_string(threads);
}

double peak_bytes(const std::string& file, const char* use, unsigned threads) {
  return numbers_of(own_command("--peak", file, use, threads)).clock;
}

/// The longest time, and the most processor time, from a request to stop to the end of the load.
Times stop_seconds(const std::string& path, double load_seconds, ThreadPool& pool,
                   ValueUse values = ValueUse::keep) {
  Times longest;
  for (int tenth = 1; tenth < 10; ++tenth) {
    std::stop_source stop;
    Times request;
    std::thread requester([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(load_seconds * tenth / 10));
      request = {seconds_since({}), processor_seconds()};
      stop.request_stop();
    });
    JobContext context(pool, {.stop = stop.get_token(), .on_progress = {}});
    const auto matrix = load_matrix(path, {.values = values}, context);
    const Times end{seconds_since({}), processor_seconds()};
    requester.join();
    if (matrix) continue;
    longest.clock = std::max(longest.clock, end.clock - request.clock);
    longest.processor = std::max(longest.processor, end.processor - request.processor);
  }
  return longest;
}

constexpr const char* kPeer = R"(import importlib, random, sys, time
def module(name):
    try: return importlib.import_module(name)
    except ImportError as missing: print('NOT COMPARED:', missing, file=sys.stderr)
numpy, sparse, io, h5py, fmm = map(module, ('numpy', 'scipy.sparse', 'scipy.io', 'h5py', 'fast_matrix_market'))
folder, threads = sys.argv[1], int(sys.argv[2])
def h5(path):
    with h5py.File(path) as f: return [f[name][:] for name in f]
def edges(path):
    table = numpy.loadtxt(path, dtype=numpy.int64)
    return sparse.coo_matrix((numpy.ones(len(table), bool), table.T)).tocsc() if sparse else table
read = {}
if numpy: read['edges'] = edges
if sparse: read['npz'] = sparse.load_npz
if h5py: read['h5'] = h5
if io: read['rb'] = io.hb_read
if io: read['mtx'] = lambda path: io.mmread(path).tocsc()
if fmm: read['mtx'] = lambda path: fmm.mmread(path, parallelism=threads)
paths = sys.argv[3:]
if paths[0] == '--first':
    read_one = read[paths[1].rsplit('.', 1)[1]]
    read_one(paths[1])
    began, before = time.perf_counter(), time.process_time()
    read_one(paths[2])
    print(time.perf_counter() - began, time.process_time() - before)
    sys.exit()
if sparse:
    matrix = sparse.load_npz(folder + '/real.npz')
    paths.append(folder + '/packed.npz')
    sparse.save_npz(paths[-1], matrix)
if sparse and h5py:
    paths.append(folder + '/packed.h5')
    with h5py.File(paths[-1], 'w') as f:
        for name, data in (('data', matrix.data), ('indices', matrix.indices), ('indptr', matrix.indptr)):
            f.create_dataset(name, data=data, compression='gzip', shuffle=True, chunks=True)
        f['shape'] = matrix.shape
        f.attrs['format'] = 'csc'
times = {}
def once(path):
    read_one = read[path.rsplit('.', 1)[1]]
    began, before = time.perf_counter(), time.process_time()
    read_one(path)
    return time.perf_counter() - began, time.process_time() - before
for path in paths:
    if path.rsplit('.', 1)[1] not in read: continue
    try:
        once(path)
        times[path] = [(9e9, 9e9)]
    except ValueError: pass
order = list(times)
random.seed(1)
for run in range(9):
    random.shuffle(order)
    for path in order: times[path].append(once(path))
for path in times:
    clock, processor = map(min, zip(*times[path]))
    print(path, clock, processor, flush=True)
)";

std::string python() {
  const char* const named = std::getenv("SPYCTRUM_PYTHON");  // NOLINT(concurrency-mt-unsafe): one thread
  return named != nullptr ? named : "python3";
}

/// What Python must do, and no more, to read the arrays of a file, whose name is in sys.argv[1].
std::string python_to_read(const std::string& file, unsigned threads) {
  const std::string ending = file.substr(file.rfind('.') + 1);
  if (ending == "h5")
    return "import sys, h5py\nwith h5py.File(sys.argv[1]) as f: arrays = [f[name][:] for name in f]";
  if (ending == "npz") return "import sys, scipy.sparse\nscipy.sparse.load_npz(sys.argv[1])";
  if (ending == "rb") return "import sys, scipy.io\nscipy.io.hb_read(sys.argv[1])";
  return "import sys, fast_matrix_market\nfast_matrix_market.mmread(sys.argv[1], parallelism=" +
         std::to_string(threads) + ")";
}

int print_processes(const std::string& names, unsigned threads) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::string& file : files_of(names)) {
    const std::array commands{"exec " + (own / "spyctrum-cli").string() + " info --quiet --threads " +
                                  std::to_string(threads) + " " + file,
                              "exec " + python() + " -c '" + python_to_read(file, threads) + "' " + file};
    std::array<Times, 2> least{{{1e9, 1e9}, {1e9, 1e9}}};
    for (int round = 0; round < 9; ++round)
      for (std::size_t k = 0; k < commands.size(); ++k) {
        const double before = processor_seconds();
        const auto began = Clock::now();
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread starts processes
        if (std::system((commands[k] + " > /dev/null").c_str()) != 0) {
          std::fprintf(stderr, "failed: %s\n", commands[k].c_str());
          return 3;
        }
        least[k] = {std::min(least[k].clock, seconds_since(began)),
                    std::min(least[k].processor, processor_seconds() - before)};
      }
    std::printf(
        "%s: spyctrum-cli info %.4f s, %.4f s of processor time; Python %.4f s, %.4f s; ratio %.2f, %.2f\n",
        file.c_str(), least[0].clock, least[0].processor, least[1].clock, least[1].processor,
        least[1].clock / least[0].clock, least[1].processor / least[0].processor);
  }
  return 0;
}

std::string peer_command(const std::string& folder, unsigned threads) {
  return python() + " " + folder + "/peer.py " + folder + " " + std::to_string(threads);
}

/// The least times of five loads, of this program and of the peer by turns, each in a process of its own.
std::array<Times, 2> first_times(const std::string& file, const std::string& folder, unsigned threads) {
  const std::string name = std::filesystem::path(file).filename();
  const std::string ending = name.substr(name.find('.'));
  const std::array commands{own_command("--first", file, "pattern", threads),
                            peer_command(folder, threads) + " --first " + folder + "/small" +
                                (ending == ".h5" ? ".bsp.h5" : ending) + " " + file};
  std::array<Times, 2> least{{{1e9, 1e9}, {1e9, 1e9}}};
  for (int round = 0; round < 5; ++round)
    for (std::size_t k = 0; k < commands.size(); ++k) {
      const Times one = numbers_of(commands[k]);
      least[k] = {std::min(least[k].clock, one.clock), std::min(least[k].processor, one.processor)};
    }
  return least;
}

std::map<std::string, Times> peer_times(const std::vector<std::string>& files, const std::string& folder,
                                        unsigned threads) {
  std::ofstream(folder + "/peer.py") << kPeer;
  std::string command = peer_command(folder, threads);
  for (const std::string& file : files) command += " " + file;
  std::map<std::string, Times> seconds;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return seconds;
  char path[4096];
  Times times;
  while (std::fscanf(pipe, "%4095s %lf %lf", path, &times.clock, &times.processor) == 3)
    seconds[path] = times;
  pclose(pipe);
  return seconds;
}

/// In pieces of 1 MiB, as the program writes the other files: the system takes up to 6 % longer to read a
/// file that was written in pieces of 8 KiB.
void write_edges(const SparsePattern& pattern, const std::string& path) {
  std::vector<char> piece(std::size_t{1} << 20U);
  std::ofstream out;
  out.rdbuf()->pubsetbuf(piece.data(), static_cast<std::streamsize>(piece.size()));
  out.open(path);
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k)) out << row << '\t' << pattern.column_ids()[k] << '\n';
}

/// Random places in both directions, without a diagonal, so that METIS holds them too.
Matrix matrix_of(const std::string& entries, const std::string& rows, JobContext& context) {
  Matrix matrix = or_throw(generate("gen:random:n=" + rows + ",nnz=" + entries + ",seed=1", context));
  EntryChunks chunks(1);
  const SparsePattern& pattern = *matrix.pattern;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index i : pattern.column(k)) {
      const Index j = pattern.column_ids()[k];
      if (i < j) chunks[0].insert(chunks[0].end(), {pack_entry(i, j), pack_entry(j, i)});
    }
  matrix.pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_packed(pattern.rows(), pattern.cols(), std::move(chunks), context));
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();  // as both programs
  ThreadPool pool(argc > 3 ? static_cast<unsigned>(std::strtoul(argv[argc - 1], nullptr, 10)) : 0);
  if (argc == 5) {
    const ValueUse values = std::string_view(argv[3]) == "values" ? ValueUse::keep : ValueUse::none;
    if (std::string_view(argv[1]) == "--peak") return print_peak(argv[2], values, pool);
    if (std::string_view(argv[1]) == "--load") return print_loads(argv[2], values, pool);
    if (std::string_view(argv[1]) == "--processes") return print_processes(argv[2], pool.threads());
    if (std::string_view(argv[1]) == "--first") {
      const Times first = load_once(argv[2], values, pool).load;
      std::printf("%.6f %.6f\n", first.clock, first.processor);
      return 0;
    }
    const Times stop = stop_seconds(argv[2], load_once(argv[2], values, pool).load.clock, pool, values);
    std::printf("%.1f ms, %.1f ms of processor time\n", 1e3 * stop.clock, 1e3 * stop.processor);
    return 0;
  }
  const std::string folder = (std::filesystem::temp_directory_path() / "spyctrum_formats_bench").string();
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  {
    JobContext context(pool);
    Matrix matrix = matrix_of(argc > 1 ? argv[1] : "3000000", argc > 2 ? argv[2] : "100000", context);
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
    Matrix small = matrix_of("100", "100", context);
    const auto entries = static_cast<std::size_t>(small.pattern->nonzeros());
    small.values = std::make_shared<const std::vector<float>>(entries, 1.5F);
    small.report.field = "real";
    for (const char* name : {"small.mtx", "small.rb", "small.npz", "small.bsp.h5"})
      or_throw(write_matrix(small, *or_throw(writer_for(name)), folder + "/" + name, "benchmark", context));
  }
  const std::map<std::string, Times> peers = peer_times(files, folder, pool.threads());
  for (const char* name : {"packed.npz", "packed.h5"})
    if (std::filesystem::exists(folder + "/" + name)) files.push_back(folder + "/" + name);
  std::printf("%u threads; seconds; cpu: processor time; peer: SciPy, h5py, fast_matrix_market\n",
              pool.threads());
  std::printf("%-16s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %9s %9s %8s %8s\n", "file",
              "MB", "load", "cpu", "ready", "cpu", "values", "its cpu", "peer", "its cpu", "ratio", "by cpu",
              "first", "peer's", "ratio", "by cpu", "more MB", "of values", "stop ms", "its cpu");
  const std::vector<LoadTimes> patterns = load_all(files, ValueUse::none, pool);
  const std::vector<LoadTimes> with_all_values = load_all(files, ValueUse::keep, pool);
  for (std::size_t k = 0; k < files.size(); ++k) {
    const std::string& file = files[k];
    const double megabytes = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
    const Times& times = patterns[k].load;
    const Times& ready = patterns[k].ready;
    const Times& with_values = with_all_values[k].load;
    std::printf("%-16s %8.1f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f",
                std::filesystem::path(file).filename().c_str(), megabytes, times.clock, times.processor,
                ready.clock, ready.processor, with_values.clock, with_values.processor);
    const auto peer = peers.find(file);
    if (peer == peers.end())
      std::printf(" %8s %8s %8s %8s", "-", "-", "-", "-");
    else
      std::printf(" %8.4f %8.4f %8.2f %8.2f", peer->second.clock, peer->second.processor,
                  peer->second.clock / times.clock, peer->second.processor / times.processor);
    if (peer == peers.end() || file.ends_with(".edges")) {
      std::printf(" %8s %8s %8s %8s", "-", "-", "-", "-");
    } else {
      const auto [own, other] = first_times(file, folder, pool.threads());
      std::printf(" %8.4f %8.4f %8.2f %8.2f", own.clock, other.clock, other.clock / own.clock,
                  other.processor / own.processor);
    }
    const Times stop = stop_seconds(file, with_values.clock, pool);
    std::printf(" %9.1f %9.1f %8.1f %8.1f\n", peak_bytes(file, "pattern", pool.threads()) / 1e6,
                peak_bytes(file, "values", pool.threads()) / 1e6, 1e3 * stop.clock, 1e3 * stop.processor);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
