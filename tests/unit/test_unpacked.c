/* Compressed inputs: the same profile as from plain bytes, or a sentence on what was lost. */
#include "base/limits.h"
#include "formats/unpacked.h"
#include "reading.h"

#include <zlib.h>
#include <zstd.h>

static const char plain[] = "main;parse;read 4096\nmain;parse 12\nmain;serve;log 2048\n";
#define PLAIN_SIZE (sizeof plain - 1)
#define PLAIN_TOTAL (4096 + 12 + 2048)

static struct hf_text pack_gzip(const char *bytes, size_t size)
{
    z_stream stream = {0};
    char *packed = malloc(size + 100);
    assert_non_null(packed);
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, 0), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)size + 100;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    struct hf_text all = {packed, size + 100 - stream.avail_out};
    deflateEnd(&stream);
    return all;
}

static struct hf_text pack_zstd(const char *bytes, size_t size)
{
    size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room);
    assert_non_null(packed);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(context, packed, room, bytes, size);
    assert_false(ZSTD_isError(made));
    ZSTD_freeCCtx(context);
    return (struct hf_text){packed, made};
}

static const struct {
    const char *name;
    struct hf_text (*pack)(const char *bytes, size_t size);
} packings[] = {{"gzip", pack_gzip}, {"zstd", pack_zstd}};

static void free_text(struct hf_text text)
{
    free((void *)(uintptr_t)text.data);
}

static void check_total(const struct hf_profile *profile, uint64_t expected)
{
    assert_int_equal(hf_profile_total(profile, 0, HF_THREAD_ALL).value, expected);
}

static void reads_what_was_compressed(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(packings); i++) {
        struct hf_error err;
        struct hf_profile *profile = NULL;
        check_case = packings[i].name;
        struct hf_text packed = packings[i].pack(plain, PLAIN_SIZE);
        check_ok(read_bytes(packed, &profile, &err), &err);
        check_total(profile, PLAIN_TOTAL);
        assert_int_equal(profile->notes.count, 0);
        hf_profile_free(profile);

        /* Two members, one behind the other, are one file. */
        struct hf_out twice = {0};
        hf_out_text(&twice, packed);
        hf_out_text(&twice, packed);
        check_ok(read_bytes(hf_out_view(&twice), &profile, &err), &err);
        check_total(profile, 2 * PLAIN_TOTAL);
        assert_int_equal(profile->notes.count, 0);
        hf_profile_free(profile);
        hf_out_done(&twice);
        free_text(packed);
    }
}

/* More than any buffer on the way holds. */
static void reads_long_files(void **state)
{
    enum { LINES = 300000 };
    (void)state;
    struct hf_out text = {0};
    for (unsigned i = 0; i < LINES; i++)
        hf_out_printf(&text, "main;f%u 3\n", i * 7919 % 1000);
    for (size_t i = 0; i < HF_COUNT(packings); i++) {
        struct hf_error err;
        struct hf_profile *profile = NULL;
        check_case = packings[i].name;
        struct hf_text packed = packings[i].pack(text.data, text.size);
        check_ok(read_bytes(packed, &profile, &err), &err);
        check_total(profile, 3 * LINES);
        assert_int_equal(profile->sample_count, 1000);
        hf_profile_free(profile);
        free_text(packed);
    }
    hf_out_done(&text);
}

static void says_what_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(packings); i++) {
        check_case = packings[i].name;
        struct hf_text packed = packings[i].pack(plain, PLAIN_SIZE);
        for (size_t size = HF_PACKING_MAGIC_BYTES; size < packed.size; size++) {
            struct hf_error err = {0};
            struct hf_profile *profile = NULL;
            enum hf_status status = read_bytes(hf_text_first(packed, size), &profile, &err);
            if (status != HF_OK) {
                assert_int_equal(status, HF_ERR_INPUT);
                continue;
            }
            assert_true(profile->notes.has_loss);
            hf_profile_free(profile);
        }
        free_text(packed);
    }
}

/* Both have a checksum; only the heads have bits that change nothing. */
static void check_whole(const struct hf_profile *profile, const void *context)
{
    (void)context;
    if (!profile->notes.has_loss)
        check_total(profile, PLAIN_TOTAL);
}

static void reads_damaged_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(packings); i++) {
        check_case = packings[i].name;
        struct hf_text packed = packings[i].pack(plain, PLAIN_SIZE);
        read_each_flip(packed, check_whole, NULL);
        free_text(packed);
    }
}

static void stops_at_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(packings); i++) {
        struct hf_error err;
        struct hf_input input;
        struct hf_unpacked unpacked;
        struct hf_text bytes;
        struct hf_notes notes = {0};
        struct hf_out expected = {0};
        check_case = packings[i].name;
        struct hf_text packed = packings[i].pack(plain, PLAIN_SIZE);
        hf_input_open_memory(&input, packed, "in");
        check_ok(hf_unpacked_open(&unpacked, &input, 10, &err), &err);
        check_ok(hf_input_peek(unpacked.input, 100, &bytes, &err), &err);
        check_text(bytes, "main;parse");
        hf_unpacked_note(&unpacked, &notes);
        assert_true(notes.has_loss);
        hf_out_printf(&expected,
            "in: after %u bytes (10 decompressed), the %s data exceeds HF_LIMIT_UNPACKED; what "
            "came before is read",
            (unsigned)unpacked.taken, packings[i].name);
        hf_out_char(&expected, '\0');
        check_text(hf_text_of(notes.items[0].text), expected.data);
        hf_out_done(&expected);
        hf_notes_done(&notes);
        hf_unpacked_close(&unpacked);
        hf_input_close(&input);
        free_text(packed);
    }
}

/* A frame that asks for a window of 2^31 bytes is refused before it gets them. */
static void refuses_huge_windows(void **state)
{
    static const char bytes[] = "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00";
    (void)state;
    check_case = "window";
    check_refused(HF_TEXT(bytes), HF_ERR_LIMIT,
        "in: after 0 bytes (0 decompressed), the zstd data needs more than 2^27 bytes to be "
        "decompressed (HF_LIMIT_UNPACK_WINDOW_LOG)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_compressed),
        cmocka_unit_test(reads_long_files),
        cmocka_unit_test(says_what_is_lost),
        cmocka_unit_test(reads_damaged_files),
        cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(refuses_huge_windows),
    };
    return cmocka_run_group_tests_name("unpacked", tests, NULL, NULL);
}
