#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fetch.sh DIR: downloads the archives of requirements.txt into DIR, in one run of pip, which takes seconds to start.
# pip verifies every sha256 and stops at a wrong one; no code of the archives runs
# (fetch/scikit_build_core). DIR can be carried to a machine without network: SPYCTRUM_ARCHIVES=DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:?usage: fetch.sh DIR}
mkdir -p "$dir"

for python in python3 /usr/bin/python3; do
  if "$python" -m pip --version > /dev/null 2>&1; then
    PYTHONPATH="$here/fetch" PYTHONDONTWRITEBYTECODE=1 \
      "$python" -m pip download --quiet --disable-pip-version-check --no-cache-dir \
      --no-deps --no-build-isolation --no-binary=:all: --require-hashes -r "$here/requirements.txt" -d "$dir"
    exit 0
  fi
done
echo "fetch.sh: python3 has no pip; install the package python3-pip, or give the archives in a folder (SPYCTRUM_ARCHIVES)" >&2
exit 1
