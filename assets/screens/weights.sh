#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes README's picture of weights, with ImageMagick: weights.sh OUT.png
set -e
out=$(realpath "$1")
cd "$(mktemp -d)"
draw() { spyctrum-cli spectrum "$2" --weights "$3" --method exact --out "$1-$3.png" --quiet "${@:4}"; }
for weights in pattern value; do
  draw laplacian gen:laplacian-2d:n=20,periodic=1 $weights --window=-28,-28,57,57
  draw convection gen:convection-diffusion:n=20 $weights
  draw contacts gen:contact-map:n=400,block=48 $weights
done
montage -background '#101418' -fill '#dddddd' -font DejaVu-Sans -pointsize 14 -filter point -resize '400x400!' \
  -tile 3x2 -geometry +6+4 \
  -label 'periodic Laplacian around DC: pattern' laplacian-pattern.png \
  -label 'convection–diffusion: pattern' convection-pattern.png -label 'contact map: pattern' contacts-pattern.png \
  -label 'values: F[0,0] = Σa = 0' laplacian-value.png -label 'values' convection-value.png \
  -label 'counts' contacts-value.png miff:- |
  convert - +dither -quantize YUV -colors 256 "PNG8:$out"
