#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cpu_table.sh [BUILD FOLDER]: runs bench_features and bench_methods of a build folder (default build/release;
# tests/run.sh or `ninja bench_features bench_methods` builds them) and writes their table, with machine and
# date, into BENCHMARKS.md between its two markers. Run it on an idle machine: where processor time over the
# number of processors is far from the wall clock, the machine was busy.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
bin="${1:-$root/build/release}/bin"
page="$root/tests/bench/BENCHMARKS.md"
table="$(mktemp)"
trap 'rm -f "$table" "$table.page"' EXIT

model="$(lscpu | sed -n 's/^Model name: *//p' | head -1)"
{
  echo "$model, $(nproc) processors, $(date -u +%Y-%m-%d), $("${CXX:-c++}" --version | head -1),"
  echo "Spyctrum $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo "without git"), load average at the start $(cut -d' ' -f1 /proc/loadavg)."
  echo
  echo "| what | matrix | wall clock, s | processor time, s | bytes forecast / peak, MB |"
  echo "|---|---|---:|---:|---:|"
} >"$table"
for bench in "$bin/bench_features" "$bin/bench_methods"; do
  # Columns of Google Benchmark's CSV: name, iterations, real_time, cpu_time (ms), …, label, …, counters.
  "$bench" --benchmark_format=csv 2>/dev/null | awk -F, '
    function plain(text) { gsub(/^"|"$/, "", text); return text }
    /^name,/ { next }
    NF > 10 {
      name = plain($1)
      sub(/\/iterations:.*/, "", name)
      split(name, parts, "/")
      what = parts[1]
      if (what ~ /block/) sub(/block/, "block " parts[2], what)
      if (what ~ /window/) sub(/window/, "window " parts[2] "×" parts[3], what)
      memory = $11 == "" ? "" : sprintf("%.3g / %.3g", $11, $12)
      printf "| %s | %s | %.3g | %.3g | %s |\n", what, plain($8), $3 / 1000, $4 / 1000, memory
    }' >>"$table"
done
awk -v table="$table" '
  /<!-- cpu table end -->/ { inside = 0 }
  !inside { print }
  /<!-- cpu table begin -->/ { inside = 1; while ((getline line < table) > 0) print line }
' "$page" >"$table.page"
cat "$table.page" >"$page"
sed -n '/cpu table begin/,/cpu table end/p' "$page"
