/* Finds the clips in a day's recordings of surveillance cameras: reads the packets of each transport stream, and for the clips that
 * were asked for the place of the key frame before. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_KEY 1
#define FLAG_DISCARD 2

typedef struct IndexEntry {
    int64_t position, timestamp;
    uint32_t flags, size;
    int distance;
} IndexEntry;

typedef struct Packet {
    int64_t pts, position;
    uint32_t size, flags;
    int stream;
    uint8_t *data;
} Packet;

typedef struct Stream {
    int index;
    bool is_video;
    int64_t first_pts, duration;
    IndexEntry *entries;
    int entry_count;
    unsigned entries_allocated;
    uint8_t *extradata;
} Stream;

typedef struct Recording {
    char *url;
    Stream *streams[4];
    int stream_count;
    int64_t position, size;
    uint32_t random;
    unsigned long packets;
} Recording;

/* Makes room for at least this much, and a bit more. */
static void *fast_realloc(void *p, unsigned *size, size_t wanted)
{
    if (wanted <= *size)
        return p;
    size_t grown = wanted + wanted / 16 + 32;
    p = realloc(p, grown);
    if (!p)
        abort();
    *size = (unsigned)grown;
    return p;
}

static int add_index_entry(Stream *st, int64_t pos, int64_t timestamp, uint32_t size, int distance, uint32_t flags)
{
    st->entries = fast_realloc(st->entries, &st->entries_allocated, ((size_t)st->entry_count + 1) * sizeof(IndexEntry)); /* guilty */
    int at = st->entry_count;
    while (at > 0 && st->entries[at - 1].timestamp > timestamp)
        at--;
    memmove(&st->entries[at + 1], &st->entries[at], sizeof(IndexEntry) * (size_t)(st->entry_count - at));
    st->entries[at] = (IndexEntry){.position = pos, .timestamp = timestamp, .size = size, .distance = distance, .flags = flags};
    st->entry_count++;
    return at;
}

static const IndexEntry *search_timestamp(const Stream *st, int64_t wanted)
{
    int low = -1, high = st->entry_count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (st->entries[middle].timestamp <= wanted)
            low = middle;
        else
            high = middle;
    }
    while (low >= 0 && !(st->entries[low].flags & FLAG_KEY))
        low--;
    return low >= 0 ? &st->entries[low] : NULL;
}

static Stream *new_stream(Recording *r, bool is_video)
{
    Stream *st = calloc(1, sizeof(*st));
    st->index = r->stream_count;
    st->is_video = is_video;
    st->extradata = malloc(is_video ? 6000 : 64);
    memset(st->extradata, is_video ? 0x67 : 0x12, is_video ? 6000 : 64);
    r->streams[r->stream_count++] = st;
    return st;
}

static Recording *open_recording(unsigned camera, unsigned hour)
{
    char url[128];
    Recording *r = calloc(1, sizeof(*r));
    snprintf(url, sizeof(url), "/var/recordings/camera-%02u/%02u.ts", camera, hour);
    r->url = strdup(url);
    r->random = camera * 24 + hour + 1;
    r->size = 400 << 20;
    new_stream(r, true);
    new_stream(r, false);
    return r;
}

static bool read_packet(Recording *r, Packet *p, int64_t n)
{
    if (n >= 3200)
        return false;
    r->random = r->random * 1664525u + 1013904223u;
    p->stream = n % 3 == 2;
    p->pts = n * 3600 + (p->stream ? 0 : n % 4 * 1800);
    p->size = 400 + (r->random >> 8) % 6000 * (n % 75 == 0 ? 6 : 1);
    p->flags = p->stream || n % 75 == 0 ? FLAG_KEY : n % 5 == 0 ? FLAG_DISCARD : 0;
    p->position = r->position;
    p->data = malloc(p->size);
    p->data[0] = 0x47;
    r->position += p->size;
    r->packets++;
    return true;
}

static void scan(Recording *r)
{
    Packet p;
    int since_key = 0;
    for (int64_t n = 0; read_packet(r, &p, n); n++) {
        Stream *st = r->streams[p.stream];
        since_key = p.flags & FLAG_KEY ? 0 : since_key + 1;
        if (!st->duration)
            st->first_pts = p.pts;
        st->duration = p.pts - st->first_pts + 1;
        add_index_entry(st, p.position, p.pts, p.size, since_key, p.flags);
        free(p.data);
    }
}

int main(void)
{
    enum { CAMERAS = 16, HOURS = 24 };
    static Recording *day[CAMERAS][HOURS];
    unsigned long packets = 0;
    for (unsigned camera = 0; camera < CAMERAS; camera++)
        for (unsigned hour = 0; hour < HOURS; hour++) {
            day[camera][hour] = open_recording(camera, hour);
            scan(day[camera][hour]);
            packets += day[camera][hour]->packets;
        }
    uint8_t *clip = calloc(1, 6 << 20);
    for (unsigned hour = 7; hour < 9; hour++) {
        const Recording *r = day[3][hour];
        const IndexEntry *key = search_timestamp(r->streams[0], 3600 * 1000);
        if (key)
            printf("%s: clip begins at byte %lld, at %lld\n", r->url, (long long)key->position, (long long)key->timestamp);
        clip[hour] = (uint8_t)hour;
    }
    printf("%lu packets in %d recordings\n", packets, CAMERAS * HOURS);
    free(clip);
    return 0;
}
