/* A ring of perf's whose kernel is this test: the memory is a file's. */
#include "attach/keeper/perf_ring.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define DATA_BYTES ((size_t)64 << 10)

static void test_sizes(void **state)
{
    static const struct {
        size_t count, kib;
    } cases[] = {{1, 16384}, {32, 16384}, {33, 8192}, {64, 8192}, {65, 4096}, {1024, 512},
        {1025, 256}, {100000, 256}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        assert_int_equal(hf_perf_ring_bytes(cases[i].count), cases[i].kib << 10);
}

static void open_ring(struct hf_perf_ring *ring)
{
    struct hf_error err;
    int fd = memfd_create("ring", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)(DATA_BYTES + (size_t)sysconf(_SC_PAGESIZE))), 0);
    check_ok(hf_perf_ring_open(ring, fd, DATA_BYTES, &err), &err);
    assert_int_equal(ring->data_bytes, DATA_BYTES);
    assert_int_equal(ring->page_bytes, sysconf(_SC_PAGESIZE));
    assert_int_equal(ring->fd, fd);
}

/* As the kernel writes a record, whose bytes are all `byte`. */
static void put(struct hf_perf_ring *ring, uint16_t size, unsigned char byte)
{
    char record[4096];
    struct perf_event_header header = {.type = byte, .size = size};
    char *data = (char *)ring->page + ring->page_bytes;
    memset(record, byte, size);
    memcpy(record, &header, sizeof header);
    for (size_t i = 0; i < size; i++)
        data[(ring->page->data_head + i) % DATA_BYTES] = record[i];
    ring->page->data_head += size;
}

static void check_first(const struct hf_perf_ring *ring, uint16_t size, unsigned char byte)
{
    const struct perf_event_header *first = hf_perf_ring_first(ring);
    assert_non_null(first);
    assert_int_equal(first->type, byte);
    assert_int_equal(first->size, size);
    for (size_t i = sizeof *first; i < size; i++)
        assert_int_equal(((const unsigned char *)first)[i], byte);
}

static void drain(struct hf_perf_ring *ring)
{
    struct hf_error err;
    check_ok(hf_perf_ring_drain(ring, &err), &err);
    assert_int_equal(ring->page->data_tail, ring->page->data_head); /* it is free again */
}

static void test_records(void **state)
{
    (void)state;
    struct hf_perf_ring ring;
    open_ring(&ring);
    drain(&ring);
    assert_null(hf_perf_ring_first(&ring));
    put(&ring, 16, 1);
    put(&ring, 400, 2);
    drain(&ring);
    check_first(&ring, 16, 1);
    hf_perf_ring_take(&ring);
    put(&ring, 24, 3); /* comes behind what is still in the queue */
    drain(&ring);
    check_first(&ring, 400, 2);
    hf_perf_ring_take(&ring);
    drain(&ring); /* nothing came */
    check_first(&ring, 24, 3);
    hf_perf_ring_take(&ring);
    assert_null(hf_perf_ring_first(&ring));
    drain(&ring);
    assert_null(hf_perf_ring_first(&ring));
    /* Around the end of the ring, at every place that a record may be cut. */
    for (unsigned turn = 0; turn < 300; turn++) {
        unsigned char byte = (unsigned char)(turn % 200 + 1);
        put(&ring, 1000, byte);
        put(&ring, (uint16_t)(16 + turn * 8), byte);
        drain(&ring);
        check_first(&ring, 1000, byte);
        hf_perf_ring_take(&ring);
        check_first(&ring, (uint16_t)(16 + turn * 8), byte);
        hf_perf_ring_take(&ring);
        assert_null(hf_perf_ring_first(&ring));
    }
    int fd = ring.fd;
    hf_perf_ring_close(&ring);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_null(ring.page);
    hf_perf_ring_close(&ring);
}

/* What cannot be mapped; less than the least. The descriptor is gone in any case. */
static void test_no_memory(void **state)
{
    (void)state;
    struct hf_perf_ring ring;
    struct hf_error err;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(hf_perf_ring_open(&ring, pipes[0], DATA_BYTES, &err), HF_ERR_SYSTEM);
    check_error(&err, "no memory for perf's records: Permission denied");
    assert_int_equal(fcntl(pipes[0], F_GETFD), -1);
    assert_null(ring.page);
    int fd = memfd_create("ring", MFD_CLOEXEC);
    assert_int_equal(hf_perf_ring_open(&ring, fd, DATA_BYTES / 2, &err), HF_ERR_SYSTEM);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    hf_perf_ring_close(&ring);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
