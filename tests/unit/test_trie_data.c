/* Numbers in as few bytes as the largest of them needs. */
#include "render/trie_data.h"

#include "check.h"

static uint64_t packed_at(const void *context, size_t i)
{
    return ((const uint64_t *)context)[i];
}

static void check_packed(const uint64_t *values, size_t count, const char *hex)
{
    struct hf_out packed = {0}, out = {0};
    hf_trie_data_put_packed(&packed, count, packed_at, values);
    hf_out_hex_bytes(&out, hf_out_view(&packed));
    check_out(&out, hex);
    hf_out_done(&packed);
    hf_out_done(&out);
}

static void test_packed(void **state)
{
    (void)state;
    check_packed(NULL, 0, "01");
    check_packed((const uint64_t[]){0, 255, 7}, 3, "0100ff07");
    check_packed((const uint64_t[]){256, 1}, 2, "0200010100");
    check_packed((const uint64_t[]){65535}, 1, "02ffff");
    check_packed((const uint64_t[]){1, 65536}, 2, "040100000000000100");
    check_packed((const uint64_t[]){UINT32_MAX}, 1, "04ffffffff");
    check_packed((const uint64_t[]){1, UINT32_MAX + UINT64_C(1)}, 2, "00018080808010");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
