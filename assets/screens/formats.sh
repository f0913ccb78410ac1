#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes README's picture of formats, with NumPy, h5py and ImageMagick: formats.sh OUT.png
set -e
out=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
cd "$(mktemp -d)"
python3 "$here/formats.py" .
draw() { spyctrum --size 1600x900 --offscreen "$@"; }
draw 1.png cells.h5ad::layers/counts
draw 2.png map.mcool::resolutions/10000 --weights log --import values=balanced
draw 3.png map.mcool::resolutions/40000 --weights log
draw 4.png links.csv --import base=0 --import directed=no
convert [1-4].png -crop 572x650+0+24 +repage +append +dither -quantize YUV -colors 256 "PNG8:$out"
