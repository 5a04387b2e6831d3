/* Modules of a live table as a profile has them: parts of a file that were mapped once more. */
#include "check.h"
#include "formats/heap/live_nodes.h"

static char text[] = "/bin/node\1\2/lib/x.so\3\4";

#define NODE 0, 9 /* "/bin/node" in the text */
#define LIBRARY 11, 9
#define NODE_ID 9, 2
#define LIBRARY_ID 20, 2
#define NO_ID 0, 0

struct modules_row {
    const char *what;
    struct hf_live_module modules[3];
    const char
        *expected; /* of each: which module of the profile, its path, bytes of its build-id */
};

static const struct modules_row rows[] = {
    {"a part before the whole file",
        {{LIBRARY, LIBRARY_ID, 1, 5}, {NODE, NO_ID, 1, 6}, {NODE, NODE_ID, 1, 6}},
        "1 /lib/x.so 2, 2 /bin/node 2, 2 /bin/node 2"},
    {"the whole file first",
        {{NODE, NODE_ID, 1, 6}, {LIBRARY, LIBRARY_ID, 1, 5}, {NODE, NO_ID, 1, 6}},
        "1 /bin/node 2, 2 /lib/x.so 2, 1 /bin/node 2"},
    {"another inode", {{LIBRARY, LIBRARY_ID, 1, 5}, {NODE, NO_ID, 1, 7}, {NODE, NODE_ID, 1, 6}},
        "1 /lib/x.so 2, 2 /bin/node 0, 3 /bin/node 2"},
    {"another device", {{LIBRARY, LIBRARY_ID, 1, 5}, {NODE, NO_ID, 2, 6}, {NODE, NODE_ID, 1, 6}},
        "1 /lib/x.so 2, 2 /bin/node 0, 3 /bin/node 2"},
    {"no inode: it is no file",
        {{LIBRARY, LIBRARY_ID, 1, 5}, {NODE, NO_ID, 0, 0}, {NODE, NODE_ID, 0, 0}},
        "1 /lib/x.so 2, 2 /bin/node 0, 3 /bin/node 2"},
    {"no build-id at all", {{LIBRARY, NO_ID, 1, 5}, {NODE, NO_ID, 1, 6}, {NODE, NO_ID, 1, 6}},
        "1 /lib/x.so 0, 2 /bin/node 0, 2 /bin/node 0"},
};

/* A segment for each of the table's modules says which module of the profile it became. */
static void a_part_is_the_whole_file(void **state)
{
    (void)state;
    struct hf_live_segment segments[] = {{0x1000, 0x2000, 0x1000, 0, 1},
        {0x3000, 0x4000, 0x3000, 1, 1}, {0x5000, 0x6000, 0x5000, 2, 1}};
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_profile *profile;
        struct hf_live_nodes nodes = {0};
        struct hf_out out = {0};
        struct hf_live_module modules[3];
        memcpy(modules, rows[i].modules, sizeof modules);
        struct hf_live_snapshot table = {
            .counts =
                {[HF_LIVE_MODULES] = 3, [HF_LIVE_SEGMENTS] = 3, [HF_LIVE_TEXT] = sizeof text - 1},
            .records = {
                [HF_LIVE_MODULES] = modules, [HF_LIVE_SEGMENTS] = segments, [HF_LIVE_TEXT] = text}};
        check_case = rows[i].what;
        check_ok(hf_profile_new(&profile, &err), &err);
        check_ok(hf_live_nodes_add(&nodes, &table, profile, &err), &err);
        assert_int_equal(nodes.damaged, 0);
        for (size_t k = 0; k < 3; k++) {
            for (uint32_t m = 1; m < profile->module_count; m++) {
                const struct hf_module *module = &profile->modules[m];
                for (size_t s = 0; s < module->segment_count; s++) {
                    if (module->segments[s].start == segments[k].start)
                        hf_out_printf(&out, "%s%u %s %zu", k != 0 ? ", " : "", m,
                            hf_profile_text(profile, module->path).data,
                            hf_profile_text(profile, module->build_id).size);
                }
            }
        }
        check_out(&out, rows[i].expected);
        hf_out_done(&out);
        hf_live_nodes_done(&nodes);
        hf_profile_free(profile);
    }
    check_case = "";
}

/* What refers to no module of the table, or is empty, is counted and left out. */
static void segments_may_be_damaged(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_live_nodes nodes = {0};
    struct hf_live_module modules[] = {{LIBRARY, LIBRARY_ID, 1, 5}};
    struct hf_live_segment segments[] = {{0x1000, 0x2000, 0, 1, 1}, {0x1000, 0x1000, 0, 0, 1},
        {0x2000, 0x1000, 0, 0, 1}, {0x1000, 0x1001, 0, 0, 1}};
    struct hf_live_snapshot table = {.counts = {[HF_LIVE_MODULES] = 1,
                                         [HF_LIVE_SEGMENTS] = HF_COUNT(segments),
                                         [HF_LIVE_TEXT] = sizeof text - 1},
        .records = {
            [HF_LIVE_MODULES] = modules, [HF_LIVE_SEGMENTS] = segments, [HF_LIVE_TEXT] = text}};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_live_nodes_add(&nodes, &table, profile, &err), &err);
    assert_int_equal(nodes.damaged, 3);
    assert_int_equal(profile->module_count, 2);
    assert_int_equal(profile->modules[1].segment_count, 1);
    hf_live_nodes_done(&nodes);
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_the_whole_file),
        cmocka_unit_test(segments_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
