/* What the network can do: a ping-pong within a node and between two nodes, and a small allreduce.
 *
 *     mpicc -O2 network.c -o network && mpirun ./network ROUNDS SECONDS
 *
 * Rank 0 plays with its next and with its last neighbour on the node by turns, and with the first rank of another
 * node if there is one. An allreduce sums one double on the first P ranks: all of a node, and all ranks of 1, 2, 4 ...
 * nodes. Every round prints each figure once: "name size seconds"; sizes are bytes, or ranks. After so many SECONDS
 * no further round begins, but there are at least three. The ranks of a node have to follow each other, which is what
 * mpirun and srun do by default.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4 << 20, TRIES = 7, TAG = 1, LEAST_ROUNDS = 3 };
static const double LEAST_SECONDS = 0.0005, MOST_SECONDS = 0.1; /* of a figure */
static char buffer[LARGEST];

/* Return half the time of a ping-pong between ranks 0 and `partner`, on rank 0. */
static double ping_pong(int rank, int partner, int bytes, int times)
{
    double start = MPI_Wtime();
    for (int turn = 0; turn < times; turn++) {
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == partner) {
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / (2.0 * times);
}

static double allreduce(MPI_Comm some, int times)
{
    double one = 1, total, start = MPI_Wtime();
    for (int turn = 0; turn < times; turn++) MPI_Allreduce(&one, &total, 1, MPI_DOUBLE, MPI_SUM, some);
    return (MPI_Wtime() - start) / times;
}

/* Print the best of a few tries; how often to repeat is what rank 0 found to last long enough. A busy machine has
 * fewer tries, since each of them may wait for cores. */
static void figure(const char *name, int rank, int partner, MPI_Comm some, int size)
{
    double best = 0, began = MPI_Wtime();
    for (int times = 1, tries = 0; tries < TRIES;) {
        MPI_Barrier(MPI_COMM_WORLD);
        double found[2] = {0, 0}; /* seconds, and since this figure began */
        if (partner >= 0) found[0] = ping_pong(rank, partner, size, times);
        else if (some != MPI_COMM_NULL) found[0] = allreduce(some, times);
        found[1] = MPI_Wtime() - began;
        MPI_Bcast(found, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (tries == 0 && found[0] * times < LEAST_SECONDS && times < 1 << 14) {
            times *= 4;
            continue;
        }
        if (tries++ == 0 || found[0] < best) best = found[0];
        if (found[1] > MOST_SECONDS) break;
    }
    if (rank == 0) printf("%s %d %.9g\n", name, size, best), fflush(stdout);
}

/* Powers of two up to all ranks of a node, then doubled nodes up to all ranks. */
static int following(int some, int here, int ranks)
{
    int next = some < here && 2 * some > here ? here : 2 * some;
    return some < ranks && next > ranks ? ranks : next;
}

int main(int count, char **given)
{
    MPI_Init(&count, &given);
    int rank, ranks, here = 0, length, go_on = 1;
    if (count < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    int rounds = atoi(given[1]);
    double began = MPI_Wtime(), seconds = atof(given[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char host[MPI_MAX_PROCESSOR_NAME] = {0}, first[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(host, &length);
    memcpy(first, host, sizeof host);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    int same = !strcmp(first, host);
    MPI_Allreduce(&same, &here, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("ranks %d %d\n", here, ranks);

    for (int round = 0; round < rounds; round++) {
        if (round >= LEAST_ROUNDS) go_on = MPI_Wtime() - began < seconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (!go_on) break;
        for (int bytes = 8; bytes <= LARGEST; bytes *= bytes < 8192 ? 4 : 2) {
            if (here > 1) figure("message_node", rank, round % 2 ? here - 1 : 1, MPI_COMM_NULL, bytes);
            if (here < ranks) figure("message", rank, here, MPI_COMM_NULL, bytes);
        }
        for (int some = here > 1 ? 2 : here + 1; some <= ranks; some = following(some, here, ranks)) {
            MPI_Comm part;
            MPI_Comm_split(MPI_COMM_WORLD, rank < some ? 0 : MPI_UNDEFINED, rank, &part);
            figure("allreduce", rank, -1, part, some);
            if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
        }
    }
    MPI_Finalize();
    return 0;
}
