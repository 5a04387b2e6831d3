/* Runs jobs on a farm of builders: a queue by priority, slots, output as it comes, retries, and a page with the results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 12

enum state { WAITING, RUNNING, PASSED, FAILED };

typedef struct buffer {
    char *text;
    size_t length, room;
} Buffer;

typedef struct job {
    struct job *next;
    int number, priority, attempt, ticks_left;
    enum state state;
    char name[40];
    Buffer output;
} Job;

typedef struct farm {
    Job *queue, *slots[SLOTS], *finished;
    long ticks, passed, failed, retried;
} Farm;

static unsigned seed = 8;

static unsigned rnd(unsigned below)
{
    seed = seed * 69069u + 5u;
    return (seed >> 12) % below;
}

static void buffer_add(Buffer *b, const char *text)
{
    size_t n = strlen(text);
    if (b->length + n + 1 > b->room) {
        size_t room = b->room ? b->room * 2 : 256;
        while (room < b->length + n + 1)
            room *= 2;
        char *more = realloc(b->text, room);
        if (!more)
            exit(1);
        b->text = more;
        b->room = room;
    }
    memcpy(b->text + b->length, text, n + 1);
    b->length += n;
}

static void buffer_clear(Buffer *b)
{
    free(b->text);
    memset(b, 0, sizeof(*b));
}

static void submit(Farm *f, int number)
{
    static const char *const parts[] = {"kernel", "parser", "network", "storage", "shell"};
    Job *j = calloc(1, sizeof(*j));
    if (!j)
        exit(1);
    j->number = number;
    j->priority = (int)rnd(10);
    j->ticks_left = 3 + (int)rnd(40);
    snprintf(j->name, sizeof(j->name), "%s-%d", parts[number % 5], number);
    Job **at = &f->queue;
    while (*at && (*at)->priority >= j->priority)
        at = &(*at)->next;
    j->next = *at;
    *at = j;
}

static void requeue(Farm *f, Job *j)
{
    buffer_clear(&j->output);
    j->attempt++;
    j->state = WAITING;
    j->ticks_left = 3 + (int)rnd(40);
    j->next = f->queue;
    f->queue = j;
    f->retried++;
}

static void finish(Farm *f, Job *j, enum state state)
{
    char line[80];
    snprintf(line, sizeof(line), "== %s %s after %d attempts\n", j->name, state == PASSED ? "passed" : "failed", j->attempt + 1);
    buffer_add(&j->output, line);
    j->state = state;
    f->passed += state == PASSED;
    f->failed += state == FAILED;
    j->next = f->finished;
    f->finished = j; /* guilty */
}

static void compile_step(Job *j)
{
    char line[160];
    int files = 1 + (int)rnd(6);
    for (int i = 0; i < files; i++) {
        snprintf(line, sizeof(line), "  CC      %s/module_%u.o\n", j->name, rnd(900));
        buffer_add(&j->output, line);
        if (rnd(9) == 0) {
            snprintf(line, sizeof(line), "%s/module.c:%u: warning: unused variable 'x%u' [-Wunused-variable]\n", j->name, rnd(2000), rnd(9));
            buffer_add(&j->output, line);
        }
    }
}

static void work(Farm *f, int slot)
{
    Job *j = f->slots[slot];
    compile_step(j);
    if (--j->ticks_left > 0)
        return;
    f->slots[slot] = NULL;
    if (rnd(12))
        finish(f, j, PASSED);
    else if (j->attempt < 2)
        requeue(f, j);
    else
        finish(f, j, FAILED);
}

static void tick(Farm *f)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!f->slots[i] && f->queue) {
            f->slots[i] = f->queue;
            f->queue = f->queue->next;
            f->slots[i]->state = RUNNING;
        }
        if (f->slots[i])
            work(f, i);
    }
    f->ticks++;
}

static const char *last_line(const Job *j)
{
    const char *at = j->output.text + j->output.length - 1;
    while (at > j->output.text && at[-1] != '\n')
        at--;
    return at;
}

static void page(const Farm *f)
{
    int shown = 0;
    for (const Job *j = f->finished; j && shown < 5; j = j->next, shown++)
        printf("#%d %s", j->number, last_line(j));
    printf("%ld ticks: %ld passed, %ld failed, %ld again\n", f->ticks, f->passed, f->failed, f->retried);
}

int main(void)
{
    Farm f = {0};
    int number = 0;
    for (int hour = 0; hour < 900; hour++) {
        for (int i = 0, n = 6 + (int)rnd(12); i < n; i++)
            submit(&f, number++);
        for (int i = 0; i < 22; i++)
            tick(&f);
    }
    for (int i = 0; i < 10000 && f.queue; i++)
        tick(&f);
    page(&f);
    return 0;
}
