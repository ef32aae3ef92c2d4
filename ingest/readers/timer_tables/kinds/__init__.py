"""The kinds of tables: one description each, and one line here. The first whose mark is in a log reads it."""

from ingest.readers.timer_tables.kinds.amber import AMBER, AMBER_WITHOUT_SECTION
from ingest.readers.timer_tables.kinds.amrex import AMREX
from ingest.readers.timer_tables.kinds.castep import CASTEP
from ingest.readers.timer_tables.kinds.cp2k import CP2K
from ingest.readers.timer_tables.kinds.dealii import DEALII, DEALII_CPU, DEALII_GROUPED, DEALII_STATISTICS
from ingest.readers.timer_tables.kinds.gptl import GPTL, GPTL_SUMMARY
from ingest.readers.timer_tables.kinds.gromacs import GROMACS
from ingest.readers.timer_tables.kinds.kokkos import KOKKOS, KOKKOS_STACK
from ingest.readers.timer_tables.kinds.lammps import LAMMPS
from ingest.readers.timer_tables.kinds.nalu_wind import NALU_WIND
from ingest.readers.timer_tables.kinds.namd import NAMD
from ingest.readers.timer_tables.kinds.petsc import PETSC
from ingest.readers.timer_tables.kinds.quantum_espresso import QUANTUM_ESPRESSO
from ingest.readers.timer_tables.kinds.teuchos import TEUCHOS
from ingest.readers.timer_tables.kinds.vasp import VASP
from ingest.readers.timer_tables.timer_kind import TimerTable

KINDS: tuple[TimerTable, ...] = (
    GROMACS,
    LAMMPS,
    CP2K,
    QUANTUM_ESPRESSO,
    VASP,
    CASTEP,
    AMBER,
    AMBER_WITHOUT_SECTION,
    NAMD,
    GPTL,
    GPTL_SUMMARY,
    AMREX,
    NALU_WIND,
    DEALII_STATISTICS,
    DEALII,
    DEALII_GROUPED,
    DEALII_CPU,
    TEUCHOS,
    KOKKOS,
    KOKKOS_STACK,
    PETSC,
)
