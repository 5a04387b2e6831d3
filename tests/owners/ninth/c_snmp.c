/* A poller of network devices: asks each for its counters by SNMP over UDP, a few hundred at a time, and writes what comes back to
 * round robin archives. Devices that are switched off do not answer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VARBINDS 12
#define SLOTS 288

typedef uint32_t oid;

struct varbind {
    oid *name;
    size_t name_length;
    uint64_t value;
};

struct pdu {
    int32_t request_id;
    uint8_t command;
    size_t count;
    struct varbind binds[MAX_VARBINDS];
};

struct request {
    struct request *next;
    int32_t id;
    unsigned retries;
    double sent;
    struct pdu *pdu;
    uint8_t *packet;
    size_t packet_size;
    void (*callback)(struct request *, const struct pdu *, void *);
    void *argument;
};

struct device {
    char *name, *community;
    int is_down;
    struct request *pending;
    double archive[4][SLOTS];
    unsigned long answers;
};

static int32_t last_id;

static void *need(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static struct pdu *pdu_create(uint8_t command)
{
    struct pdu *pdu = need(1, sizeof(*pdu));
    pdu->command = command;
    pdu->request_id = ++last_id;
    return pdu;
}

static void pdu_add(struct pdu *pdu, const oid *name, size_t length)
{
    struct varbind *bind = &pdu->binds[pdu->count++];
    bind->name = need(length, sizeof(oid));
    bind->name_length = length;
    memcpy(bind->name, name, length * sizeof(oid));
}

static void pdu_free(struct pdu *pdu)
{
    for (size_t i = 0; i < pdu->count; i++)
        free(pdu->binds[i].name);
    free(pdu);
}

static size_t put_length(uint8_t *to, size_t length)
{
    to[0] = 0x82;
    to[1] = (uint8_t)(length >> 8);
    to[2] = (uint8_t)length;
    return 3;
}

static uint8_t *encode(const struct device *device, const struct pdu *pdu, size_t *size)
{
    uint8_t *packet = need(1, 32 + strlen(device->community) + pdu->count * 40);
    size_t at = 0;
    packet[at++] = 0x30;
    at += put_length(packet + at, pdu->count * 20);
    at += (size_t)sprintf((char *)packet + at, "%s", device->community);
    packet[at++] = pdu->command;
    for (size_t i = 0; i < pdu->count; i++)
        for (size_t k = 0; k < pdu->binds[i].name_length; k++) {
            if (pdu->binds[i].name[k] > 127)
                packet[at++] = (uint8_t)(0x80 | pdu->binds[i].name[k] >> 7);
            packet[at++] = pdu->binds[i].name[k] & 0x7f;
        }
    *size = at;
    return packet;
}

static void snmp_send(struct device *device, struct pdu *pdu, double now, void (*callback)(struct request *, const struct pdu *, void *))
{
    struct request *request = need(1, sizeof(*request));
    request->id = pdu->request_id;
    request->pdu = pdu;
    request->packet = encode(device, pdu, &request->packet_size);
    request->sent = now;
    request->callback = callback;
    request->argument = device;
    request->next = device->pending;
    device->pending = request;
}

static void request_free(struct request *request)
{
    pdu_free(request->pdu);
    free(request->packet);
    free(request);
}

static int snmp_receive(struct device *device, const struct pdu *answer)
{
    for (struct request **at = &device->pending; *at; at = &(*at)->next) {
        struct request *request = *at;
        if (request->id != answer->request_id)
            continue;
        *at = request->next;
        request->callback(request, answer, request->argument);
        request_free(request);
        return 1;
    }
    return 0;
}

static void got_counters(struct request *request, const struct pdu *answer, void *argument)
{
    struct device *device = argument;
    size_t slot = (size_t)request->sent / 300 % SLOTS;
    for (size_t i = 0; i < 4 && i < answer->count; i++)
        device->archive[i][slot] = (double)answer->binds[i].value;
    device->answers++;
}

static void poll_device(struct device *device, double now)
{
    static const oid if_table[] = {1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, 1};
    struct pdu *pdu = pdu_create(0xa0);
    for (oid i = 0; i < MAX_VARBINDS; i++) {
        oid name[12];
        memcpy(name, if_table, sizeof(name));
        name[10] = 6 + i % 4;
        name[11] = 1000 + i / 4;
        pdu_add(pdu, name, 12); /* guilty */
    }
    snmp_send(device, pdu, now, got_counters);
}

static void answer(struct device *device)
{
    struct pdu reply = {.request_id = device->pending->id, .command = 0xa2, .count = 4};
    for (size_t i = 0; i < 4; i++)
        reply.binds[i].value = (uint64_t)reply.request_id * (i + 3);
    snmp_receive(device, &reply);
}

static struct device *load_inventory(size_t count)
{
    struct device *devices = need(count, sizeof(*devices));
    char name[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "switch-%zu.building-%zu.example.org", i % 24, i / 24);
        devices[i].name = strdup(name);
        devices[i].community = strdup("monitoring");
        devices[i].is_down = i % 7 == 3;
    }
    return devices;
}

int main(void)
{
    const size_t count = 600;
    struct device *devices = load_inventory(count);
    unsigned long answers = 0;
    for (double now = 0; now < 300.0 * 350; now += 300)
        for (size_t i = 0; i < count; i++) {
            poll_device(&devices[i], now);
            if (!devices[i].is_down)
                answer(&devices[i]);
        }
    for (size_t i = 0; i < count; i++)
        answers += devices[i].answers;
    printf("%d requests, %lu answers, %s\n", last_id, answers, devices[count - 1].name);
    return 0;
}
