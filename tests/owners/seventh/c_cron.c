/* Runs jobs when they are due. What a job printed is mailed if it failed, and can be asked for later by its number. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct output {
    char *text;
    size_t len, cap;
};

struct job;
typedef int (*action_fn)(struct job *job, struct output *out);

struct job {
    const char *name;
    uint64_t due, period;
    action_fn action;
    unsigned runs, failures;
    struct run *last;
};

struct run {
    struct run *before;
    uint64_t when;
    int status;
    struct output out;
};

struct queue {
    struct job **jobs;
    size_t count, cap;
};

static unsigned long mailed;

static void *need(void *p)
{
    if (p == NULL) {
        perror("cron");
        exit(1);
    }
    return p;
}

static void say(struct output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (out->len + n + 1 > out->cap) {
        out->cap = (out->len + n + 1) * 3 / 2;
        out->text = need(realloc(out->text, out->cap));
    }
    va_start(args, format);
    out->len += vsnprintf(out->text + out->len, out->cap - out->len, format, args);
    va_end(args);
}

static void swap(struct queue *q, size_t a, size_t b)
{
    struct job *j = q->jobs[a];
    q->jobs[a] = q->jobs[b];
    q->jobs[b] = j;
}

static void queue_add(struct queue *q, struct job *job)
{
    if (q->count == q->cap) {
        q->cap = q->cap ? 2 * q->cap : 16;
        q->jobs = need(realloc(q->jobs, q->cap * sizeof *q->jobs));
    }
    size_t i = q->count++;
    q->jobs[i] = job;
    for (; i && q->jobs[(i - 1) / 2]->due > q->jobs[i]->due; i = (i - 1) / 2) swap(q, i, (i - 1) / 2);
}

static struct job *queue_next(struct queue *q)
{
    struct job *first = q->jobs[0];
    q->jobs[0] = q->jobs[--q->count];
    for (size_t i = 0, k; (k = 2 * i + 1) < q->count; i = k) {
        if (k + 1 < q->count && q->jobs[k + 1]->due < q->jobs[k]->due) k++;
        if (q->jobs[i]->due <= q->jobs[k]->due) break;
        swap(q, i, k);
    }
    return first;
}

static int act_backup(struct job *job, struct output *out)
{
    for (unsigned i = 0; i < 40 + job->runs % 7; i++) say(out, "copied /srv/data/part-%05u.tar (%u bytes)\n", i, i * 4099);
    return 0;
}

static int act_rotate(struct job *job, struct output *out)
{
    for (unsigned i = 9; i > 0; i--) say(out, "renamed messages.%u to messages.%u\n", i - 1, i);
    return job->runs % 50 == 49;
}

static int act_check(struct job *job, struct output *out)
{
    say(out, "%s: %u hosts answered\n", job->name, 17 + job->runs % 3);
    return 0;
}

static void mail_failure(const struct job *job, const struct output *out)
{
    struct output mail = {0};
    say(&mail, "Subject: %s failed\n\n%.*s", job->name, (int)out->len, out->text);
    mailed += mail.len;
    free(mail.text);
}

static void run_job(struct job *job, uint64_t now)
{
    struct run *run = need(calloc(1, sizeof *run));
    run->when = now;
    run->status = job->action(job, &run->out); /* guilty */
    if (run->status != 0) {
        job->failures++;
        mail_failure(job, &run->out);
    }
    job->runs++;
    run->before = job->last;
    job->last = run;
}

static const struct run *find_run(const struct job *job, unsigned back)
{
    const struct run *run = job->last;
    while (run && back--) run = run->before;
    return run;
}

int main(void)
{
    struct job jobs[] = {
        {.name = "backup", .due = 5, .period = 60, .action = act_backup},
        {.name = "rotate", .due = 9, .period = 90, .action = act_rotate},
        {.name = "check-dns", .due = 1, .period = 10, .action = act_check},
        {.name = "check-mail", .due = 2, .period = 15, .action = act_check},
    };
    struct queue queue = {0};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) queue_add(&queue, &jobs[i]);
    for (uint64_t now = 0; now < 900000;) {
        struct job *job = queue_next(&queue);
        now = job->due;
        run_job(job, now);
        job->due = now + job->period;
        queue_add(&queue, job);
    }
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const struct run *run = find_run(&jobs[i], 3);
        printf("%s: %u runs, %u failed; %zu bytes at %lu\n", jobs[i].name, jobs[i].runs, jobs[i].failures, run->out.len, (unsigned long)run->when);
    }
    printf("%lu bytes mailed\n", mailed);
    free(queue.jobs);
    return 0;
}
