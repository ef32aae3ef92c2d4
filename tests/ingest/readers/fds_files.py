"""Tiny files of FDS with the seconds of each rank."""

from collections.abc import Mapping

HEADER = "Rank,MAIN,DIVG,MASS,VELO,PRES,COMM,Total T_USED (s)"


def fds(*rows: str, header: str = HEADER) -> str:
    """A file with a header and rows."""
    return "\n".join((header, *rows)) + "\n"


ROW = "    0, 1.000E+00, 2.000E+00, 5.000E-01, 2.500E-01, 4.000E+00, 2.500E-01, 8.000E+00"

FDS: Mapping[str, str] = {
    "two ranks": fds(ROW, ROW.replace("    0,", "    1,").replace("4.000E+00", "3.000E+00")),
    "one rank": fds(ROW.replace("1.000E+00", "-1.00E-03").replace("8.000E+00", "7.000E+00")),
}
