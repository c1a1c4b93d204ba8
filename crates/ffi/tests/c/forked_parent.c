/*
 * A process with a participant forks, and is killed while its child lives on. A peer sees the end long before the lease
 * has passed: nothing in the child keeps the parent alive for others.
 */
#define _GNU_SOURCE
#include "Position.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            _exit(1); \
        } \
    } while (0)
#define OK(call) CHECK((call) == DUNLIN_OK)
/* Nobody is left for longer, whatever goes wrong. */
#define PATIENCE 120

static dunlin_participant participant;
static dunlin_topic topic;

static void join(void) {
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    OK(Position_topic(participant, "Positions", NULL, &topic));
}

static void say(int to, pid_t what) {
    CHECK(write(to, &what, sizeof what) == sizeof what);
}

static pid_t hear(int from) {
    pid_t what;
    CHECK(read(from, &what, sizeof what) == sizeof what);
    return what;
}

/* Seconds since some time. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Says that it has found the writer, waits until that is killed, and ends well when it is gone. */
static void peer(int heard, int say_to) {
    dunlin_reader reader;
    uint64_t writers = 1;
    double killed;
    (void)alarm(PATIENCE);
    join();
    OK(Position_reader(participant, topic, NULL, NULL, &reader));
    OK(dunlin_reader_wait_for_matched(reader, 1, 60 * DUNLIN_SECOND));
    say(say_to, 1);
    CHECK(hear(heard) == 2);
    killed = now();
    while (writers > 0) {
        OK(dunlin_reader_matched(reader, NULL, 0, &writers));
        /* The lease is ten seconds. */
        CHECK(now() - killed < 5);
        usleep(1000);
    }
    OK(dunlin_close(participant));
    _exit(0);
}

/* Finds the peer, and leaves a child behind. */
static void parent(int say_to) {
    dunlin_writer writer;
    pid_t child;
    (void)alarm(PATIENCE);
    join();
    OK(Position_writer(participant, topic, NULL, NULL, &writer));
    OK(dunlin_writer_wait_for_matched(writer, 1, 60 * DUNLIN_SECOND));
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)alarm(PATIENCE);
        say(say_to, getpid());
        pause();
        _exit(0);
    }
    pause();
    _exit(0);
}

int main(void) {
    int of_peer[2], to_peer[2], of_parent[2], status;
    pid_t peer_process, parent_process, child;
    CHECK(pipe(of_peer) == 0 && pipe(to_peer) == 0 && pipe(of_parent) == 0);
    peer_process = fork();
    if (peer_process == 0) peer(to_peer[0], of_peer[1]);
    parent_process = fork();
    if (parent_process == 0) parent(of_parent[1]);
    CHECK(peer_process > 0 && parent_process > 0);
    child = hear(of_parent[0]);
    CHECK(hear(of_peer[0]) == 1);
    CHECK(kill(parent_process, SIGKILL) == 0 && waitpid(parent_process, &status, 0) == parent_process);
    say(to_peer[1], 2);
    CHECK(waitpid(peer_process, &status, 0) == peer_process);
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
