/*
 * The reader of live tables, with lifetimes and without. Input: the whole table.
 *
 * Head, state and control are a page each, of which little is read: the mutator changes what is.
 */
#include "formats/heap/live.h"
#include "fuzz.h"
#include "live/reader.h"
#include "profile/lifetimes.h"
#include "reader.h"

#define BODY (3 * (size_t)HF_LIVE_PAGE_BYTES)

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    if (size <= BODY || seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, most);
    switch (seed / 16 % 5) {
    case 0: fuzz_mutate_part(data, size, 0, sizeof(struct hf_live_head)); return size;
    case 1:
        fuzz_mutate_part(data, size, HF_LIVE_PAGE_BYTES, sizeof(struct hf_live_state));
        return size;
    case 2:
        fuzz_mutate_part(data, size, 2 * HF_LIVE_PAGE_BYTES, sizeof(struct hf_live_control));
        return size;
    case 3: /* one record stays where it is */
        fuzz_mutate_part(data, size, BODY + seed / 80 % (size - BODY) / 8 * 8, 32);
        return size;
    default: return BODY + LLVMFuzzerMutate(data + BODY, size - BODY, most - BODY);
    }
}

static void read_with_lifetimes(struct hf_text table)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_lifetimes lifetimes = {.from_ms = 1000, .to_ms = 1735689600000, .old_ms = 5000};
    hf_input_open_memory(&input, table, "input");
    input.lifetimes = &lifetimes;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_format_live.read(&input, profile, &err) == HF_OK) {
        fuzz_tell("lifetimes%s from %lld, epochs of 2^%u, %llu lost\n",
            lifetimes.is_known ? "" : ", not known,", (long long)lifetimes.began_ms,
            lifetimes.epoch_shift, (unsigned long long)lifetimes.lost_objects);
        for (size_t i = 0; i < lifetimes.birth_count; i++) {
            if (lifetimes.births[i].node >= profile->stacks.count)
                abort();
            fuzz_tell(
                "births of %u, old %.3f:", lifetimes.births[i].node, lifetimes.births[i].old_bytes);
            for (size_t bin = 0; bin < HF_COUNT(lifetimes.births[i].bytes); bin++)
                fuzz_tell(" %.3f", lifetimes.births[i].bytes[bin]);
            fuzz_tell("\n  by epoch, squares %.3f:", lifetimes.births[i].squares);
            for (size_t epoch = 0; epoch < HF_COUNT(lifetimes.births[i].epochs); epoch++)
                fuzz_tell(" %.3f", lifetimes.births[i].epochs[epoch]);
            fuzz_tell("\n");
        }
        for (size_t i = 0; i < lifetimes.freed_count; i++) {
            if (lifetimes.freed[i].node >= profile->stacks.count ||
                lifetimes.freed[i].at >= profile->stacks.count)
                abort();
            fuzz_tell("freed of %u at %u: %llu\n", lifetimes.freed[i].node, lifetimes.freed[i].at,
                (unsigned long long)lifetimes.freed[i].count);
        }
    }
    hf_lifetimes_done(&lifetimes);
    hf_profile_free(profile);
    hf_input_close(&input);
}

/* Blocks by age and size, as `top --lifetimes` asks for them. */
static void read_with_classes(struct hf_text bytes)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_lifetimes lifetimes = {.wants_classes = true};
    uint32_t thread;
    hf_input_open_memory(&input, bytes, "input");
    input.lifetimes = &lifetimes;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_format_live.read(&input, profile, &err) == HF_OK &&
        hf_lifetimes_find_class(profile, HF_CLASS_SIZE, 0, &thread) &&
        (!profile->capture.has_classes || profile->capture.epoch_shift > HF_CLASS_BIRTH_SHIFT_MAX))
        abort();
    if (profile->capture.has_classes)
        fuzz_tell_profile(profile);
    hf_lifetimes_done(&lifetimes);
    hf_profile_free(profile);
    hf_input_close(&input);
}

/* The blocks that were born in the first second and a half, as attach asks for them. */
static void read_old(struct hf_text table)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_live_ages ages = {0};
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_live_profile(hf_live_source_in(&table, "input"), UINT64_C(1500000000), 16, profile,
            &ages, &err) == HF_OK) {
        fuzz_tell("%zu ages, %llu young of %llu bytes\n", ages.count,
            (unsigned long long)ages.young_objects, (unsigned long long)ages.young_bytes);
        for (size_t i = 0; i < ages.count; i++)
            fuzz_tell("of %u: born %llu to %llu, %llu objects, %llu bytes, %llu held, %llu "
                      "samples\n",
                ages.items[i].node, (unsigned long long)ages.items[i].first_birth,
                (unsigned long long)ages.items[i].last_birth,
                (unsigned long long)ages.items[i].objects, (unsigned long long)ages.items[i].bytes,
                (unsigned long long)ages.items[i].held_bytes,
                (unsigned long long)ages.items[i].samples);
        free(ages.items);
    }
    hf_profile_free(profile);
}

static enum hf_status fuzz_see_mapping(
    void *context, const struct hf_live_seen_block *mapping, struct hf_error *err)
{
    (void)context;
    (void)err;
    if (mapping->address == 0)
        abort();
    fuzz_tell("mapping %#llx: %llu bytes, stack %#x\n", (unsigned long long)mapping->address,
        (unsigned long long)mapping->size, mapping->stack);
    return HF_OK;
}

static void read_mappings(struct hf_text table)
{
    struct hf_error err;
    (void)!hf_live_read_slots(hf_live_source_in(&table, "input"), HF_LIVE_MAPPINGS,
        (struct hf_live_visitor){fuzz_see_mapping, NULL}, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_with_lifetimes((struct hf_text){(const char *)data, size});
    read_with_classes((struct hf_text){(const char *)data, size});
    read_mappings((struct hf_text){(const char *)data, size});
    if (size != 0 && data[size - 1] % 4 == 0)
        read_old((struct hf_text){(const char *)data, size});
    return fuzz_reader(&hf_format_live, data, size);
}
