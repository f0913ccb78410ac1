# SPDX-License-Identifier: Apache-2.0
# Sourced by app/run.sh and tests/run.sh: which Debian/Ubuntu packages each purpose needs, and
# ensure_packages PURPOSE…, which installs the missing ones (as root or through sudo) or, where
# there is no apt, says what to install and fails. Needs bash and coreutils, nothing else.

# Compiler and tools; python3 with pip fetches the pinned archives, GLAD generates the GL loader.
packages_build=(g++ cmake ninja-build pkg-config python3 python3-pip python3-glad ca-certificates)
# Libraries of the core and of the command line.
packages_core=(zlib1g-dev libarchive-dev libpng-dev libsqlite3-dev libhdf5-dev liblzf-dev
  libblosc-dev libsnappy-dev libzstd-dev liblz4-dev libbz2-dev libcli11-dev nlohmann-json3-dev libexpected-dev libexpat1-dev)
# Figures; window systems that GLFW is built for, and OpenGL with and without a screen.
packages_app=(libcairo2-dev libfontconfig-dev libwebp-dev libgl-dev libopengl-dev libegl-dev libegl-mesa0 libgl1-mesa-dri libgl1 libx11-dev libxrandr-dev libxinerama-dev
  libxcursor-dev libxi-dev libxext-dev libwayland-dev libwayland-bin libxkbcommon-dev)
# Tests and benchmarks. FFTW is GPL: a peer, never linked into the programs. MPICH: the optional module for mpirun, and mpiexec.
packages_tests=(libgtest-dev libbenchmark-dev libfftw3-dev mpich libmpich-dev)
# What cpack calls for manual pages, icons and .deb, and what judges the packages in tests.
packages_packing=(help2man librsvg2-bin dpkg-dev file)
packages_packing_tests=(lintian groff-base fakeroot desktop-file-utils appstream shared-mime-info libglib2.0-bin)

missing_packages() {
  local purpose name all=() state=' ' installed
  for purpose in "$@"; do
    local -n list="packages_$purpose"
    all+=("${list[@]}")
  done
  # One query for all. dpkg-query fails as soon as one is unknown to it, which is not an error here.
  while IFS='=' read -r name installed; do
    if [ "$installed" = installed ]; then state+="${name%%:*} "; fi
  done < <(dpkg-query -W -f='${binary:Package}=${db:Status-Status}\n' "${all[@]}" 2> /dev/null || true)
  for name in "${all[@]}"; do
    if [[ "$state" != *" $name "* ]]; then printf '%s\n' "$name"; fi
  done
}

ensure_packages() {
  local purpose missing as_root=()
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    # Another system: the configure step says what it cannot find, so go on when the tools are there.
    if command -v cmake > /dev/null && command -v ninja > /dev/null && command -v c++ > /dev/null; then
      return 0
    fi
    echo "This system has no apt. Install what these Debian packages hold, then run this again:" >&2
    for purpose in "$@"; do
      local -n list="packages_$purpose"
      echo "  ${list[*]}" >&2
    done
    exit 1
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0

  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "Missing packages, and neither root nor sudo to install them. As root, run:" >&2
      echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing: ${missing[*]}" >&2
  # Everything to stderr: the caller's stdout belongs to its result.
  {
    "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
  } >&2 || {
    echo "apt could not install: ${missing[*]}" >&2
    exit 1
  }
}
