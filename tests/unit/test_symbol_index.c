/* Look-ups in symbols that are sorted by hand: by reach, and the twins of what is named already. */
#include "base/budget.h"
#include "check.h"
#include "elf/symbol_index.h"

#define SYMBOL(symbol_name, at, bytes, twin_count)                                                 \
    {                                                                                              \
        .name = {symbol_name, sizeof(symbol_name) - 1}, .address = at, .size = bytes,              \
        .twins = twin_count                                                                        \
    }

/* By address, then size: one alone, three at one address, one in a larger one. */
static struct hf_symbol symbols[] = {
    SYMBOL("alone", 0x1000, 16, 3),
    SYMBOL("short", 0x2000, 8, 4),
    SYMBOL("middle", 0x2000, 16, 5),
    SYMBOL("long", 0x2000, 64, 0),
    SYMBOL("in", 0x2010, 16, 0),
    SYMBOL("last", 0x3000, 16, 9),
};
static uint64_t reach[] = {0x1010, 0x2008, 0x2010, 0x2040, 0x2040, 0x3010};
static const struct hf_elf elf;
static const struct hf_symbol_index symbol_index = {
    .elf = &elf, .symbols = symbols, .reach = reach, .count = HF_COUNT(symbols), .is_made = true};

static struct hf_symbol resolve(uint64_t address, struct hf_symbol known)
{
    struct hf_error err;
    check_ok(hf_symbol_index_resolve(&symbol_index, &address, 1, &known, &err), &err);
    return known;
}

struct found_row {
    uint64_t address;
    const char *name;
};

static const struct found_row found_rows[] = {
    {0xfff, ""},
    {0x1000, "alone"},
    {0x100f, "alone"},
    {0x1010, ""},
    {0x1fff, ""},
    {0x200f, "long"},
    {0x201f, "in"},
    {0x2020, "long"},
    {0x203f, "long"},
    {0x2040, ""},
    {0x300f, "last"},
    {0x3010, ""},
    {UINT64_MAX, ""},
};

static void finds_what_holds_an_address(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(found_rows); i++) {
        check_case = found_rows[i].name;
        struct hf_symbol none = {.plain = HF_TEXT("plain")};
        struct hf_symbol found = resolve(found_rows[i].address, none);
        check_text(found.name, found_rows[i].name);
        check_text(found.plain, "plain");
    }
    check_case = "";
}

struct twin_row {
    uint64_t address, size;
    uint32_t known, twins;
};

static const struct twin_row twin_rows[] = {
    {0x1000, 16, 0, 3}, {0x1000, 16, 2, 3}, {0x1000, 16, 4, 4}, /* the other file knew of more */
    {0x1000, 15, 0, 0}, {0x1001, 16, 0, 0}, {0x0fff, 16, 0, 0}, /* before all */
    {0x2000, 8, 0, 4}, {0x2000, 9, 0, 0}, {0x2000, 16, 0, 5}, {0x2000, 64, 0, 0},
    {0x3000, 16, 0, 9}, {0x3001, 16, 0, 0}, /* behind all */
};

static void finds_twins_of_the_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(twin_rows); i++) {
        const struct twin_row *row = &twin_rows[i];
        struct hf_symbol named = {.name = HF_TEXT("named"),
            .address = row->address,
            .size = row->size,
            .twins = row->known};
        struct hf_symbol found = resolve(row->address, named);
        assert_int_equal(found.twins, row->twins);
        check_text(found.name, "named");
    }
}

static void an_empty_index_knows_nothing(void **state)
{
    (void)state;
    struct hf_error err;
    const struct hf_symbol_index empty = {.elf = &elf, .is_made = true};
    uint64_t addresses[] = {0x1000, 0x1000};
    struct hf_symbol asked[] = {{.twins = 0}, SYMBOL("named", 0x1000, 16, 2)};
    check_ok(hf_symbol_index_resolve(&empty, addresses, 2, asked, &err), &err);
    assert_true(asked[0].name.size == 0 && asked[1].twins == 2);
}

static void ends_with_the_budget(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_budget budget = {0};
    uint64_t address = 0x1000;
    struct hf_symbol none = {.twins = 0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    while (hf_budget_step(1u << 20))
        continue;
    assert_int_equal(
        hf_symbol_index_resolve(&symbol_index, &address, 1, &none, &err), HF_ERR_LIMIT);
    hf_budget_leave(before);
    assert_int_equal(none.name.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_holds_an_address),
        cmocka_unit_test(finds_twins_of_the_named),
        cmocka_unit_test(an_empty_index_knows_nothing),
        cmocka_unit_test(ends_with_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
