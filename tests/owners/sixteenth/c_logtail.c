/* logtail - follows the log files of many services and ships whole lines; files rotate often. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVICES 30
#define LINEBUF 12000
#define BATCH 64

struct source {
    struct source *next;
    uint64_t inode;
    char path[64];
    long offset;
    size_t fill;
    char partial[LINEBUF];
};

struct file { uint64_t inode; long size; int lines; };
struct batch { int n; char *line[BATCH]; };

static struct source *sources;
static struct file disk[SERVICES];
static uint64_t next_inode = 1000;
static struct batch pending;
static unsigned long shipped, bytes, rotations;

static char *dup_line(const char *s, size_t n)
{
    char *p = malloc(n + 1);
    if (!p) abort();
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

static void flush_batch(void)
{
    size_t total = 0;
    for (int i = 0; i < pending.n; i++) total += strlen(pending.line[i]) + 1;
    char *frame = malloc(total + 16);
    if (!frame) abort();
    size_t o = 0;
    for (int i = 0; i < pending.n; i++) {
        size_t k = strlen(pending.line[i]);
        memcpy(frame + o, pending.line[i], k);
        o += k;
        frame[o++] = '\n';
        free(pending.line[i]);
    }
    bytes += o;
    shipped += (unsigned)pending.n;
    pending.n = 0;
    free(frame);
}

static void ship(const char *s, size_t n)
{
    pending.line[pending.n++] = dup_line(s, n);
    if (pending.n == BATCH) flush_batch();
}

static struct source *attach(const char *path, uint64_t inode)
{
    for (struct source *s = sources; s; s = s->next)
        if (s->inode == inode) return s;
    struct source *s = malloc(sizeof *s); /* guilty */
    if (!s) abort();
    s->inode = inode;
    snprintf(s->path, sizeof s->path, "%s", path);
    s->offset = 0;
    s->fill = 0;
    s->next = sources;
    sources = s;
    return s;
}

static size_t read_some(const struct source *s, char *to, size_t room)
{
    size_t n = 0;
    for (int k = 0; k < 40 && n + 160 < room; k++)
        n += (size_t)snprintf(to + n, room - n, "%s %ld level=info msg=\"request %d served\" ms=%d\n", s->path, s->offset, k, k * 7 % 90);
    return n;
}

static void drain(struct source *s)
{
    size_t got = read_some(s, s->partial + s->fill, LINEBUF - s->fill);
    s->offset += (long)got;
    s->fill += got;
    char *b = s->partial, *e = s->partial + s->fill, *nl;
    while ((nl = memchr(b, '\n', (size_t)(e - b)))) {
        ship(b, (size_t)(nl - b));
        b = nl + 1;
    }
    s->fill = (size_t)(e - b);
    memmove(s->partial, b, s->fill);
    memset(s->partial + s->fill, 0, LINEBUF - s->fill);
}

static void service_writes(int i, unsigned tick)
{
    struct file *f = &disk[i];
    f->lines += 40;
    f->size += 3000;
    if (f->size > 9000 + (long)(tick % 5) * 1000) {
        f->inode = next_inode++;
        f->size = 0;
        rotations++;
    }
}

static void scan_dir(unsigned tick)
{
    char path[64];
    for (int i = 0; i < SERVICES; i++) {
        service_writes(i, tick);
        snprintf(path, sizeof path, "/var/log/svc%02d/current", i);
        drain(attach(path, disk[i].inode));
    }
}

int main(void)
{
    for (int i = 0; i < SERVICES; i++) disk[i].inode = next_inode++;
    for (unsigned tick = 0; tick < 800; tick++) {
        scan_dir(tick);
        usleep(2000);
    }
    flush_batch();
    printf("shipped %lu lines, %lu bytes, %lu rotations\n", shipped, bytes, rotations);
    return 0;
}
