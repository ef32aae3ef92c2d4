"""Outputs of benchmarks of messages, of our own making: OSU's of several versions, IMB's."""

ALLREDUCE = """\
Loading modules: openmpi/4.1

# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       {small:.2f}              1.10              1.20        1000
1024                   {large:.2f}             10.00             20.00        1000
"""
BANDWIDTH = """\
# OSU MPI Bandwidth Test v5.9
# Size      Bandwidth (MB/s)        Validation
1000                     50.00              Pass
2000                    100.00              Pass
"""
BARRIER = "# OSU MPI Barrier Latency Test v5.6.2\n# Avg Latency(us)\n             3.50\n"
NON_BLOCKING = """\
# OSU MPI Non-blocking Alltoall Latency Test v5.8
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
8                      12.00              5.00              6.50              0.00
"""
IMB = """\
# Benchmarking Bcast
# #processes = 4
# ( 4 additional processes waiting in MPI_Barrier)
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.05         0.05         0.05
            8         1000         1.00         3.00         2.00

# Benchmarking Bcast
# #processes = 8
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.05         0.05         0.10
            8         1000         1.00         5.00         3.00
"""
MESSAGES = (ALLREDUCE.format(small=1.5, large=16), BANDWIDTH + BARRIER, NON_BLOCKING, IMB)


def allreduce(small, large):
    """Two sizes of an allreduce, in microseconds."""
    return ALLREDUCE.format(small=small, large=large)
