/* teledec - decodes packed telemetry frames coming from the field units. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define SENSORS 96
#define CURVE 4096

enum { FRAME_OK = 0, FRAME_SHORT = -1, FRAME_VERSION = -2, FRAME_CRC = -3 };

struct frame {
    uint8_t version;
    uint8_t sensor;
    uint16_t crc;
    uint32_t packed_len;
    uint8_t packed[];
};

struct totals {
    unsigned long ok, bad_version, bad_crc, samples;
    double sum;
};

static double *curves[SENSORS];
static uint32_t state = 4242;

static uint32_t next_rand(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 7;
}

/* sensor -> linearisation curve, built on first use */
static const double *calibration_for(unsigned sensor)
{
    if (!curves[sensor]) {
        double *c = malloc(sizeof(double) * CURVE);
        if (!c) abort();
        for (int i = 0; i < CURVE; i++)
            c[i] = (double)i * (1.0 + sensor / 1000.0) - 12.5;
        curves[sensor] = c;
    }
    return curves[sensor];
}

static struct frame *capture_frame(void)
{
    uint32_t runs = 300 + next_rand() % 500;
    struct frame *f = malloc(sizeof *f + runs * 2);
    if (!f) abort();
    f->version = next_rand() % 5 == 0 ? 3 : 2;
    f->sensor = (uint8_t)(next_rand() % SENSORS);
    f->packed_len = runs * 2;
    for (uint32_t i = 0; i < runs; i++) {
        f->packed[i * 2] = (uint8_t)(1 + next_rand() % 60);
        f->packed[i * 2 + 1] = (uint8_t)next_rand();
    }
    f->crc = 0;
    for (uint32_t i = 0; i < f->packed_len; i++)
        f->crc = (uint16_t)(f->crc * 31 + f->packed[i]);
    if (next_rand() % 50 == 0) f->crc ^= 1;
    return f;
}

static uint8_t *rle_expand(const uint8_t *in, size_t n, size_t *out_len)
{
    size_t total = 0;
    for (size_t i = 0; i + 1 < n; i += 2) total += in[i];
    uint8_t *out = malloc(total ? total : 1);
    if (!out) abort();
    size_t o = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        memset(out + o, in[i + 1], in[i]);
        o += in[i];
    }
    *out_len = total;
    return out;
}

static int apply_samples(const uint8_t *p, size_t n, unsigned sensor, struct totals *t)
{
    const double *cal = calibration_for(sensor);
    float *tmp = malloc(n * sizeof *tmp);
    if (!tmp) abort();
    for (size_t i = 0; i < n; i++) tmp[i] = (float)cal[p[i] * 16];
    for (size_t i = 1; i < n; i++) t->sum += (tmp[i] + tmp[i - 1]) / 2;
    t->samples += n;
    free(tmp);
    return FRAME_OK;
}

static int decode_frame(const struct frame *f, struct totals *t)
{
    size_t len;
    uint8_t *payload;
    uint16_t crc = 0;
    int rc;

    if (f->packed_len < 4)
        return FRAME_SHORT;
    payload = rle_expand(f->packed, f->packed_len, &len); /* guilty */

    for (uint32_t i = 0; i < f->packed_len; i++)
        crc = (uint16_t)(crc * 31 + f->packed[i]);
    if (crc != f->crc) {
        free(payload);
        return FRAME_CRC;
    }
    if (f->version != 2) {
        t->bad_version += len > 0;
        return FRAME_VERSION;
    }
    rc = apply_samples(payload, len, f->sensor, t);
    free(payload);
    return rc;
}

static void drain_radio(int frames, struct totals *t)
{
    for (int i = 0; i < frames; i++) {
        struct frame *f = capture_frame();
        switch (decode_frame(f, t)) {
        case FRAME_OK: t->ok++; break;
        case FRAME_CRC: t->bad_crc++; break;
        default: break;
        }
        free(f);
    }
}

int main(void)
{
    struct totals t = { 0 };
    for (int tick = 0; tick < 350; tick++) {
        drain_radio(45, &t);
        usleep(7000);
    }
    printf("ok=%lu version=%lu crc=%lu samples=%lu mean=%.3f\n",
           t.ok, t.bad_version, t.bad_crc, t.samples, t.sum / (double)(t.samples + 1));
    return 0;
}
