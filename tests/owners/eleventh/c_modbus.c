/* A historian of a water works: asks the pumps for their registers over Modbus and keeps the values for the trend charts. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLAVES = 24, REGISTERS = 40, WINDOW = 10 };

struct sample {
    uint32_t time;
    float value;
};

struct tag {
    char name[24];
    struct sample *samples;
    size_t count, room;
    double scale, high_limit;
    unsigned alarms;
};

struct slave {
    uint8_t address;
    struct tag tags[REGISTERS];
    unsigned long good, bad;
};

static uint32_t seed = 12345;

static uint32_t noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static uint16_t crc16(const uint8_t *data, size_t len)
{
    uint16_t crc = 0xffff;
    while (len--) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (uint16_t)(crc >> 1 ^ 0xa001) : (uint16_t)(crc >> 1);
    }
    return crc;
}

/* What a pump answers; the caller frees the frame. */
static uint8_t *read_registers(const struct slave *slave, uint32_t now, size_t *len)
{
    *len = 3 + 2 * REGISTERS + 2;
    uint8_t *frame = malloc(*len);
    frame[0] = slave->address;
    frame[1] = 3;
    frame[2] = 2 * REGISTERS;
    for (int i = 0; i < REGISTERS; i++) {
        uint16_t raw = (uint16_t)(2000 + 900 * sin(now / 300.0 + i) + noise() % 50);
        frame[3 + 2 * i] = (uint8_t)(raw >> 8);
        frame[4 + 2 * i] = (uint8_t)raw;
    }
    uint16_t crc = crc16(frame, *len - 2);
    if (noise() % 1000 == 0)
        crc ^= 4; /* a bad cable */
    frame[*len - 2] = (uint8_t)crc;
    frame[*len - 1] = (uint8_t)(crc >> 8);
    return frame;
}

static void tag_append(struct tag *tag, uint32_t now, double value)
{
    if (tag->count == tag->room) {
        tag->room += 256;
        tag->samples = realloc(tag->samples, tag->room * sizeof(*tag->samples)); /* guilty */
        if (tag->samples == NULL)
            exit(1);
    }
    tag->samples[tag->count].time = now;
    tag->samples[tag->count++].value = (float)value;
}

static double tag_average(const struct tag *tag)
{
    size_t n = tag->count < WINDOW ? tag->count : WINDOW;
    double sum = 0;
    for (size_t i = tag->count - n; i < tag->count; i++)
        sum += tag->samples[i].value;
    return n ? sum / (double)n : 0;
}

static void poll_slave(struct slave *slave, uint32_t now)
{
    size_t len;
    uint8_t *frame = read_registers(slave, now, &len);
    if (crc16(frame, len - 2) == (frame[len - 2] | frame[len - 1] << 8)) {
        for (int i = 0; i < REGISTERS; i++) {
            struct tag *tag = &slave->tags[i];
            tag_append(tag, now, (frame[3 + 2 * i] << 8 | frame[4 + 2 * i]) * tag->scale);
            if (tag_average(tag) > tag->high_limit)
                tag->alarms++;
        }
        slave->good++;
    } else {
        slave->bad++;
    }
    free(frame);
}

static struct slave *configure(void)
{
    struct slave *slaves = calloc(SLAVES, sizeof(*slaves));
    for (int s = 0; s < SLAVES; s++) {
        slaves[s].address = (uint8_t)(s + 1);
        for (int i = 0; i < REGISTERS; i++) {
            snprintf(slaves[s].tags[i].name, sizeof(slaves[s].tags[i].name), "PUMP%02d.R%03d", s + 1, 40001 + i);
            slaves[s].tags[i].scale = 0.01;
            slaves[s].tags[i].high_limit = 28;
        }
    }
    return slaves;
}

int main(void)
{
    struct slave *slaves = configure();
    for (uint32_t now = 0; now < 5600; now++)
        for (int s = 0; s < SLAVES; s++)
            poll_slave(&slaves[s], now);
    for (int s = 0; s < SLAVES; s += 8)
        printf("%s: %.2f, %u alarms, %lu good, %lu bad\n", slaves[s].tags[0].name, tag_average(&slaves[s].tags[0]),
               slaves[s].tags[0].alarms, slaves[s].good, slaves[s].bad);
    return 0;
}
