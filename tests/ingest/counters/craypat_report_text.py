"""A CrayPat report of two functions with counters, and of MPI."""

REPORT = """CrayPat/X:  Version 6.4.6 Revision 7d0d87c  02/20/17 09:52:37

Number of PEs (MPI ranks):   64

Numbers of PEs per Node:      32  PEs on each of  2  Nodes

Numbers of Threads per PE:     1

Table 1:  Profile by Function Group and Function

  Time% |      Time |     Imb. |  Imb. |    Calls | Group
        |           |     Time | Time% |          |  Function
        |           |          |       |          |   PE=HIDE

 100.0% | 1,000.0000 |       -- |    -- | 1,690.0 | Total
|-----------------------------------------------------------------
|  90.0% | 900.000000 |       -- |    -- |   10.0 | USER
||----------------------------------------------------------------
||  60.0% | 600.000000 | 0.003933 |  1.4% |    1.0 | smooth
||  30.0% | 300.000000 | 0.003933 |  1.4% |    9.0 | multiply
||================================================================
|  10.0% | 100.000000 |       -- |    -- |  686.0 | MPI
|=================================================================

Table 2:  Profile by Function Group and Function, with counters

==============================================================================
  Total
------------------------------------------------------------------------------
  Time%                                                   100.0%
  Time                                               1000.000000 secs
==============================================================================
  USER / smooth
------------------------------------------------------------------------------
  Time%                                                    60.0%
  Time                                                600.000000 secs
  Imb. Time                                             0.003933 secs
  Calls                              0.002 /sec              1.0 calls
  PAPI_L1_DCA                      312.500M/sec  187,500,000,000 refs
  DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:
    GOOD                            24.414M/sec   14,648,437,500 fills

  PAPI_FP_OPS                      156.250M/sec   93,750,000,000 ops
  MFLOPS (aggregate)             10,000.00M/sec
==============================================================================
  USER / multiply
------------------------------------------------------------------------------
  Time%                                                    30.0%
  Time                                                300.000000 secs
  DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD         146,484,375 fills
  PAPI_FP_OPS                                      2,000,000,000,000 ops
==============================================================================
"""
