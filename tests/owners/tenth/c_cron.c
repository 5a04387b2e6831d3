/* A job scheduler: runs what is due in each minute, collects what the job wrote, and mails it if the job failed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t len, room;
};

struct run {
    struct run *next;
    int job, status;
    long started, ended;
    struct buffer output;
};

struct job {
    char name[40];
    int every, offset;
    unsigned runs, failures;
};

struct scheduler {
    struct job *jobs;
    int count;
    struct run *history;
    unsigned long mails;
};

static void buffer_printf(struct buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (b->len + (size_t)need + 1 > b->room) {
        b->room = (b->len + (size_t)need + 1) * 3 / 2;
        b->data = realloc(b->data, b->room);
        if (!b->data)
            exit(1);
    }
    va_start(args, format);
    vsnprintf(b->data + b->len, b->room - b->len, format, args);
    va_end(args);
    b->len += (size_t)need;
}

static void buffer_free(struct buffer *b)
{
    free(b->data);
    memset(b, 0, sizeof(*b));
}

static void load_crontab(struct scheduler *s, int count)
{
    s->jobs = calloc((size_t)count, sizeof(*s->jobs));
    s->count = count;
    for (int i = 0; i < count; i++) {
        snprintf(s->jobs[i].name, sizeof(s->jobs[i].name), "rotate-%d", i);
        s->jobs[i].every = 5 + i * 7 % 55;
        s->jobs[i].offset = i % 5;
    }
}

/* What the job writes to its pipe. */
static int execute(const struct job *job, long minute, struct buffer *out)
{
    int files = 3 + (int)(minute * 31 + job->every) % 14;
    for (int f = 0; f < files; f++)
        buffer_printf(out, "%s[%ld]: /srv/%s/access.%d.log -> access.%d.log.gz\n", job->name, minute, job->name, f, f + 1);
    return minute % 41 == 0 && job->offset == 2;
}

static void send_mail(struct scheduler *s, const struct job *job, const struct buffer *output)
{
    struct buffer mail = {0};
    buffer_printf(&mail, "To: root\nSubject: Cron %s failed\n\n%s", job->name, output->data ? output->data : "");
    s->mails++;
    buffer_free(&mail);
}

static struct run *run_job(struct scheduler *s, int index, long minute)
{
    struct job *job = &s->jobs[index];
    struct run *run = calloc(1, sizeof(*run));
    run->job = index;
    run->started = minute;
    run->status = execute(job, minute, &run->output);
    run->ended = minute + 1;
    job->runs++;
    if (run->status) {
        job->failures++;
        send_mail(s, job, &run->output);
    }
    run->next = s->history; /* guilty */
    s->history = run;
    return run;
}

static void tick(struct scheduler *s, long minute)
{
    for (int i = 0; i < s->count; i++)
        if ((minute + s->jobs[i].offset) % s->jobs[i].every == 0)
            run_job(s, i, minute);
}

static void show_status(const struct scheduler *s)
{
    int shown = 0;
    for (const struct run *r = s->history; r && shown < 10; r = r->next, shown++)
        printf("%-12s %6ld %s\n", s->jobs[r->job].name, r->started, r->status ? "failed" : "ok");
    printf("%lu mails\n", s->mails);
}

int main(void)
{
    struct scheduler s = {0};
    load_crontab(&s, 150);
    for (long minute = 0; minute < 6 * 1440; minute++)
        tick(&s, minute);
    show_status(&s);
    return 0;
}
