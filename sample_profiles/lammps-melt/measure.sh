#!/bin/sh
# Measures the series again, into the folder given: apt-get install lammps; sh measure.sh /tmp/lammps-melt
set -e
input=$(cd "$(dirname "$0")" && pwd)/melt.in
export OMP_NUM_THREADS=1
for r in 1 2 3; do
    for n in 16 20 24 28 32; do
        for p in 1 2; do
            run=$1/melt.p$p.n$n.r$r
            mkdir -p "$run"
            mpirun --allow-run-as-root --oversubscribe --bind-to none -np $p \
                lmp -in "$input" -var n $n -log "$run/log.lammps" -screen none
        done
    done
done
