/* Poller for a row of programmable controllers; keeps recent log lines for the operator panel. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_KEEP 2000
#define UNITS 24

struct line {
    struct line *next;
    unsigned seq;
    int level;
    char *text;
};

struct ring {
    struct line *first, *last;
    unsigned seq;
    int used;
};

struct unit {
    int id;
    double temp, pressure;
    unsigned faults;
    unsigned char *frame;
};

static struct ring panel;
static struct unit units[UNITS];

static void ring_add(struct ring *r, int level, const char *text)
{
    struct line *l = malloc(sizeof *l);
    l->seq = ++r->seq;
    l->level = level;
    l->text = strdup(text); /* guilty */
    l->next = NULL;
    if (r->last)
        r->last->next = l;
    else
        r->first = l;
    r->last = l;
    if (r->used < LOG_KEEP)
        r->used++;
}

static void logf_panel(int level, const char *fmt, ...)
{
    char buf[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    ring_add(&panel, level, buf);
}

static unsigned char *read_frame(struct unit *u, int tick)
{
    unsigned char *f = malloc(256);
    for (int i = 0; i < 256; i++)
        f[i] = (unsigned char)(u->id * 17 + tick * 3 + i);
    return f;
}

static unsigned short crc16(const unsigned char *p, int n)
{
    unsigned short c = 0xffff;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0xa001 : c >> 1;
    }
    return c;
}

static void poll_unit(struct unit *u, int tick)
{
    free(u->frame);
    u->frame = read_frame(u, tick);
    unsigned short crc = crc16(u->frame, 256);
    u->temp = 40 + 20 * sin(tick / 100.0 + u->id);
    u->pressure = 2.5 + cos(tick / 70.0 - u->id);
    if (crc % 50 == 0) {
        u->faults++;
        logf_panel(2, "unit %02d crc %04x mismatch, frame dropped, faults so far %u", u->id, crc,
                   u->faults);
    }
    logf_panel(0, "unit %02d tick %06d coolant temperature %7.3f C line pressure %6.3f bar crc %04x "
               "valve A %s valve B %s pump duty %3d%% state RUNNING operator none", u->id, tick,
               u->temp, u->pressure, crc, u->temp > 50 ? "open" : "closed",
               u->pressure > 3 ? "open" : "closed", tick % 100);
}

static int count_warnings(const struct ring *r)
{
    int n = 0;
    for (const struct line *l = r->first; l; l = l->next)
        n += l->level >= 2;
    return n;
}

int main(void)
{
    for (int i = 0; i < UNITS; i++)
        units[i].id = i;
    for (int tick = 0; tick < 12000; tick++) {
        for (int i = 0; i < UNITS; i++)
            poll_unit(&units[i], tick);
        if (tick % 40 == 0)
            usleep(2000);
    }
    printf("%u lines written, %d on panel, %d warnings\n", panel.seq, panel.used,
           count_warnings(&panel));
    usleep(200000);
    return 0;
}
