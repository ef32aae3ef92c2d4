"""Small CrayPat reports, sampled and traced."""

HEAD = """CrayPat/X:  Version 20.09.0 Revision 5c4b7f13d  07/28/20 20:19:27

Number of PEs (MPI ranks):   {processes}

Numbers of PEs per Node:     2  PEs on each of  2  Nodes

Numbers of Threads per PE:     {threads}

Execution start time:  Sat Nov  7 12:47:41 2020

Current path to data file:
  /work/x/a.exe+9685-0s   (RTS)

"""
ROWS = """
  Samp% |    Samp |   Imb. |  Imb. | Group
        |         |   Samp | Samp% |  Function
        |         |        |       |   PE=HIDE

 100.0% | 2,000.0 |     -- |    -- | Total
|-----------------------------------------------------------
|  80.0% | 1,600.0 |     -- |    -- | USER
||----------------------------------------------------------
||  60.0% | 1,200.0 |   30.7 |  4.7% | solve<>
||  15.0% |   300.0 |   26.2 |  5.8% | a_very_long_name_that_does_not_fit_into_
||        |         |        |       | one_line
||==========================================================
|  12.5% |   250.0 |     -- |    -- | MPI
||----------------------------------------------------------
||  12.5% |   250.0 |  673.5 | 94.3% | MPI_ALLREDUCE
||==========================================================
|   5.0% |   100.0 |     -- |    -- | BLAS
|===========================================================

"""
LINES = """Table 2:  Profile by Group, Function, and Line

  Samp% |    Samp | Group
 100.0% | 2,000.0 | Total
|  80.0% | 1,600.0 | USER
||  60.0% | 1,200.0 | solve<>
3|  60.0% | 1,200.0 | solve.cpp

Table 3:  Wall Clock Time, Memory High Water Mark

   Process |   Process | PE=[mmm]
      Time |     HiMem |

 20.500000 |      50.9 | {of}
|--------------------------------
| 20.810800 |      36.7 | pe.1
|================================

"""
TRACED = """Table 1:  Profile by Function Group and Function

  Time% |     Time | Imb. Time |  Imb. |   Calls | Group
        |          |           | Time% |         |  Function
 100.0% | 3.000000 |        -- |    -- | 1,110.5 | Total
|------------------------------------------------------------
|  90.0% | 2.700000 |        -- |    -- |    10.5 | USER
||  90.0% | 2.700000 |  0.100000 |  4.0% |    10.5 | solve
|  10.0% | 0.300000 |        -- |    -- | 1,100.0 | MPI_SYNC
||  10.0% | 0.300000 |  0.100000 |  4.0% | 1,100.0 | MPI_Allreduce(sync)
"""


def sampled(
    *, processes="1,024", threads="1", title="Table 1:  Profile by Function", of="Total", interval=True
):
    text = HEAD.format(processes=processes, threads=threads) + title + "\n" + ROWS + LINES.format(of=of)
    return text + ("Experiment:  samp_cs_time\n\nSampling interval:  10000 microsecs\n" if interval else "")


def traced():
    return HEAD.format(processes="4", threads="1") + TRACED


CRAYPAT = {
    "sampled": sampled(processes="4"),
    "traced": traced(),
    "counts": "output of the program\n" + sampled(processes="2", interval=False, of="Avg of PE values"),
}
