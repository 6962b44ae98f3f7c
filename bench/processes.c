/* Runs the same benchmark in several processes, because the places of a process's stack and code may decide
 * the time of a loop.
 *
 * The leader, which prints, starts followers with its own arguments. They make the same contestants and reach
 * the same timings, where all meet. Then they measure one after the other, the leader gathers the figures,
 * and all continue with the same figures. A follower's standard input is its connection with the leader. It
 * prints nothing, and ends when the leader ends. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_FOLLOWERS = 15, CONNECTION = 0 };
static const char follows[] = "ACTGEN_BENCH_FOLLOWS";
static struct follower {
    pid_t process;
    int connection;
} followers[MOST_FOLLOWERS];
static size_t follower_count;

bool is_follower(void) { return getenv(follows) != NULL; }

/* Sends or receives data. Returns false if the other side has ended. */
static bool transfer(int connection, void *data, size_t size, bool sends)
{
    for (char *at = data; size;) {
        const ssize_t moved =
            sends ? send(connection, at, size, MSG_NOSIGNAL) : recv(connection, at, size, 0);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) return false;
        at += moved;
        size -= (size_t)moved;
    }
    return true;
}

static bool start_follower(struct follower *f, char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    f->connection = ends[0];
    bool started = !posix_spawn_file_actions_init(&actions);
    if (started) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], CONNECTION);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        started = !posix_spawn(&f->process, "/proc/self/exe", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (!started) close(f->connection);
    return started;
}

bool processes_start(char *const *arguments, size_t count)
{
    if (is_follower()) return true;
    setenv(follows, "1", 1);
    while (follower_count + 1 < count && follower_count < MOST_FOLLOWERS &&
           start_follower(&followers[follower_count], arguments))
        follower_count++;
    unsetenv(follows);
    return follower_count + 1 == count;
}

void processes_end(void)
{
    for (size_t i = 0; i < follower_count; i++) close(followers[i].connection);
    for (size_t i = 0; i < follower_count; i++) waitpid(followers[i].process, NULL, 0);
    follower_count = 0;
}

static void follow(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                   struct timing *times)
{
    char turn = 0;
    bool connected = transfer(CONNECTION, &turn, 1, true) && transfer(CONNECTION, &turn, 1, false);
    if (connected) time_in_turn(calls, count, limits, times);
    connected = connected && transfer(CONNECTION, times, count * sizeof *times, true) &&
                transfer(CONNECTION, times, count * sizeof *times, false);
    if (!connected) _exit(EXIT_SUCCESS);
}

/* Adds the figures of a further process to those of `before` processes. */
static void merge(struct timing *all, const struct timing *one, size_t before)
{
    all->min = fmin(all->min, one->min);
    all->worst = fmax(all->worst, one->worst);
    all->median = (all->median * (double)before + one->median) / (double)(before + 1);
}

void processes_time(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                    struct timing *times)
{
    struct timing found[MOST_CONTESTANTS];
    char turn = 0;
    if (is_follower()) {
        follow(calls, count, limits, times);
        return;
    }
    bool all = true;
    for (size_t i = 0; i < follower_count; i++) all &= transfer(followers[i].connection, &turn, 1, false);
    time_in_turn(calls, count, limits, times);
    for (size_t i = 0; i < follower_count && all; i++) {
        all = transfer(followers[i].connection, &turn, 1, true) &&
              transfer(followers[i].connection, found, count * sizeof *found, false);
        for (size_t k = 0; all && k < count; k++) merge(&times[k], &found[k], i + 1);
    }
    for (size_t i = 0; i < follower_count && all; i++)
        all = transfer(followers[i].connection, times, count * sizeof *times, true);
    if (!all) {
        fputs("actgen_bench: another process of this run has ended: what follows is measured in this one\n",
              stderr);
        processes_end();
    }
}
