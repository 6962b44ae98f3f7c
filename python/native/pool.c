/* Runs the threads of the process that share calls. A thread is created when a call asks for it. Then it
 * waits for the next call on a condition.
 *
 * A call is a job in a list. Each thread on the job takes the next index until there is none. So a thread
 * that wakes late delays nobody. The caller takes the job out of the list, and waits only for the threads
 * that have begun. */
#include "pool.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* How often a thread reads a counter before it sleeps. This takes some tens of microseconds, as long as
 * waking it. */
enum { SPINS = 2000 };

struct job {
    void (*task)(void *context, size_t i);
    void *context;
    size_t count;
    atomic_size_t next;    /* the next index to take */
    size_t wanted;         /* the threads that may still join; read and written under the lock */
    atomic_size_t helpers; /* the threads that have joined and not left; changed under the lock */
    struct job *following;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, left;
    struct job *jobs;
    atomic_size_t posts; /* the number of jobs so far */
    pthread_t threads[POOL_MOST_THREADS];
    size_t count;
    bool is_ended, knows_forks;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static void work_on(struct job *job)
{
    size_t i;
    while ((i = atomic_fetch_add(&job->next, 1)) < job->count) job->task(job->context, i);
}

static struct job *open_job(void)
{
    for (struct job *job = pool.jobs; job; job = job->following)
        if (job->wanted && atomic_load(&job->next) < job->count) return job;
    return NULL;
}

/* Waits for the next job. It spins first, because the next call often follows soon. Called and returns under
 * the lock. */
static void wait_for_post(void)
{
    size_t seen = atomic_load(&pool.posts);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < SPINS && atomic_load(&pool.posts) == seen; i++) relax();
    pthread_mutex_lock(&pool.lock);
    while (!pool.is_ended && atomic_load(&pool.posts) == seen) pthread_cond_wait(&pool.posted, &pool.lock);
}

static void *serve(void *unused)
{
    /* Kernels need round-to-nearest. The thread that created this one may have set another mode. */
    fesetenv(FE_DFL_ENV);
    pthread_mutex_lock(&pool.lock);
    while (!pool.is_ended) {
        struct job *job = open_job();
        if (!job) {
            wait_for_post();
            continue;
        }
        job->wanted--;
        atomic_fetch_add(&job->helpers, 1);
        pthread_mutex_unlock(&pool.lock);
        work_on(job);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub(&job->helpers, 1) == 1) pthread_cond_broadcast(&pool.left);
    }
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

/* These handlers are for fork(). A child has the memory of its parent, and none of its threads. */
static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork(void) { pthread_mutex_unlock(&pool.lock); }
static void in_child(void)
{
    pool.jobs = NULL;
    pool.count = 0;
    pthread_cond_init(&pool.posted, NULL);
    pthread_cond_init(&pool.left, NULL);
    pthread_mutex_init(&pool.lock, NULL);
}

/* Starts threads until there are `wanted`. They block all signals, which are for Python's own threads. Called
 * under the lock. */
static void start_threads(size_t wanted)
{
    sigset_t all, before;
    if (pool.is_ended || pool.count >= wanted) return;
    if (!pool.knows_forks && pthread_atfork(before_fork, after_fork, in_child)) return;
    pool.knows_forks = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.count < wanted && !pthread_create(&pool.threads[pool.count], NULL, serve, NULL)) pool.count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void post(struct job *job)
{
    pthread_mutex_lock(&pool.lock);
    start_threads(job->wanted);
    job->following = pool.jobs;
    pool.jobs = job;
    atomic_fetch_add(&pool.posts, 1);
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
}

/* Takes a job out of the list, so that no thread can join any more. Returns when all threads have left the
 * job. */
static void take_back(struct job *job)
{
    struct job **link = &pool.jobs;
    pthread_mutex_lock(&pool.lock);
    while (*link != job) link = &(*link)->following;
    *link = job->following;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < SPINS && atomic_load(&job->helpers); i++) relax();
    /* After this lock, a helper that has left neither holds the lock nor reads the job. */
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&job->helpers)) pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void pool_share(size_t count, void (*task)(void *context, size_t i), void *context, size_t threads)
{
    size_t most = threads < POOL_MOST_THREADS ? threads : POOL_MOST_THREADS;
    struct job job = {.task = task, .context = context, .count = count};
    job.wanted = (count < most ? count : most) - 1;
    post(&job);
    work_on(&job);
    take_back(&job);
}

void pool_end(void)
{
    pthread_mutex_lock(&pool.lock);
    size_t count = pool.count;
    pool.is_ended = true;
    pool.count = 0;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
    for (size_t i = 0; i < count; i++) pthread_join(pool.threads[i], NULL);
}
