#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Names the generated matrices of README's picture of a collection.
for k in $(seq 96); do
  n=$((22 + 2 * k))
  echo "gen:checkerboard:n=$n,cell=$((k % 11 + 1))"
  echo "gen:band:n=$n,lower=$((k % 7)),upper=$((k % 5))"
  echo "gen:block-diagonal:n=$n,block=$((k % 19 + 3))"
  echo "gen:circulant:n=$n,degree=$((k % 9 + 2)),stride=$((k % 13 + 3))"
  echo "gen:random:n=$n,nnz=$((4 * n)),seed=$k"
  echo "gen:power-law:n=$n,nnz=$((6 * n)),seed=$k"
  echo "gen:contact-map:n=$n,depth=10,seed=$k"
  echo "gen:stochastic-blocks:n=$n,blocks=$((k % 6 + 2)),p_in=0.3,p_out=0.02,seed=$k"
  echo "gen:laplacian-2d:nx=$((k % 12 + 4)),ny=$((k / 12 + 5))"
  echo "gen:diagonal:n=$n,offset=$((k % 15))"
  echo "gen:arrow:n=$n,head=$((k % 6 + 1))"
  echo "gen:pruned-weights:rows=$n,cols=$n,density=0.$((k % 8 + 1)),seed=$k"
done
