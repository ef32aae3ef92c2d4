#!/bin/sh
# Measures the series again, into the folder given: apt-get install gromacs; sh measure.sh /tmp/gromacs-water
set -e
settings=$(cd "$(dirname "$0")" && pwd)/water.mdp
export OMP_NUM_THREADS=1
mkdir -p "$1"
cd "$1"
for n in 2 3 4 5 6; do
    gmx -quiet genconf -f /usr/share/gromacs/top/spc216.gro -nbox $n $n $n -o water$n.gro
    printf '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spc.itp"\n' > water$n.top
    printf '[ system ]\nwater\n[ molecules ]\nSOL %d\n' $((216 * n * n * n)) >> water$n.top
    gmx -quiet grompp -f "$settings" -c water$n.gro -p water$n.top -o water$n.tpr -po water$n.mdp
done
for r in 1 2 3; do
    for n in 2 3 4 5 6; do
        for p in 1 2; do
            run=water.p$p.n$n.r$r
            mkdir -p $run
            mpirun --allow-run-as-root --oversubscribe --bind-to none -np $p \
                gmx_mpi -quiet mdrun -s water$n.tpr -g $run/md.log -ntomp 1 -pin off -notunepme -noconfout \
                -e $run/ener.edr -o $run/traj.trr -cpo $run/state.cpt
            rm -f $run/ener.edr $run/traj.trr $run/state*.cpt
        done
    done
done
rm -f water[0-9].*
