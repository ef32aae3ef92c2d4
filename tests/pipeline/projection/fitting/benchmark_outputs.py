"""Output of network benchmarks in the formats of the programs, with figures of our own."""

IMB_PING_PONG = """\
#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#------------------------------------------------------------
# Date                  : Sun Nov 22 10:00:00 2026

# Calling sequence was:

# ./IMB-MPI1 PingPong Sendrecv

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         2.00         0.00
            8         1000         2.10         3.81
         1024         1000         3.00       341.33
       131072          320        22.50      5825.42
      4194304 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over;

#---------------------------------------------------
# Benchmarking Sendrecv
# #processes = 4
#---------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            8         1000         9.00         9.50         9.25         1.73


# All processes entering MPI_Finalize
"""

IMB_ALLREDUCE = """\
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = {processes}
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.05         0.23         0.06
            4         1000         1.00         3.00         2.50
            8         1000         1.00         3.00         {time:.3f}
         1024         1000        21.27        27.89        24.93

# All processes entering MPI_Finalize
"""

OSU_LATENCY = """\
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       1.50
1024                    2.00
65536                  12.00
"""

OLD_OSU_LATENCY = """\
# OSU MPI Latency Test (Version 2.0)
# Size          Latency (us)
0               1.40
8               1.50
"""

OSU_BANDWIDTH = """\

# OSU MPI Bandwidth Test v5.6.2
# Size      Bandwidth (MB/s)
1                       2.00
1048576             10000.00
"""

OSU_ALLREDUCE = """\
# OSU MPI Allreduce Latency Test v5.9
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       9.00              8.00             11.00        1000
8                      10.00              9.00             12.00        1000
"""

NETGAUGE = """\
# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2, threadlevel=0) (-m mpi)
# initializing x86-64 timer (takes some seconds)
1 bytes \t -> 1.25 us \t == 6.40 Mbit/s
1024 bytes \t -> 2.25 us \t == 3640.89 Mbit/s
"""

NETGAUGE_FILE = """\
## Netgauge v2.4.6 - mode mpi - 2 processes
##
## A...message size [byte]
##
## B...minimum send blocking time
## C...average send blocking time
## D...median send blocking time
## E...maximum send blocking time
## F...standard deviation for send blocking time (stddev)
## G...number of send blocking time values, that were bigger than avg + 2 * stddev.
##
## H...minimum RTT/2
## I...average RTT/2
## J...median RTT/2
## K...maximum RTT/2
## L...standard deviation for RTT/2 (stddev)
## M...number of RTT/2 values, that were bigger than avg + 2 * stddev.
##
## N...minimum throughput [Mbit/sec]
## O...average throughput [Mbit/sec]
## P...median throughput [Mbit/sec]
## Q...maximum throughput [Mbit/sec]
##
## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q
1 - 0.10 0.20 0.15 0.90 (0.05 3) - 1.10 1.40 1.30 9.00 (0.50 2) - 0.89 5.71 6.15 7.27
1024 - 0.30 0.40 0.35 0.90 (0.05 3) - 2.10 2.40 2.30 9.00 (0.50 2) - 910.22 3413.33 3561.74 3900.95
"""

NETGAUGE_LOGGP = """\
# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
# to get o: plot "./loggp.out" using 1:(($5-$3)/($2-1)-$3)
# to get g,G: plot "./loggp.out" using 1:($4-$3)/($2-1)
1 10 5.000000 8.000000 50.000000 2.500000 0.400000 0.500000 nan nan nan
1025 10 7.000000 12.000000 70.000000 2.500000 0.400000 0.500000 0.300000 0.000200 0.010000
"""

NETGAUGE_LOGGP_PROGRESS = """\
Testing 1 bytes 100 times:
 L=2.500000  s=1  o_s=0.400000  o_r=0.500000  g=0.300000  G=0.000200 (0.039063 GiB/s) lsqu(g,G)=0.010000
"""
