/* In the place of bpf_program.c and bpf_source.c, where this is built without eBPF (meson -Dbpf).
 */
#include "attach/bpf/bpf_maps.h"
#include "attach/bpf/bpf_source.h"
#include "attach/keeper/bpf_program.h"

static enum hf_status say_missing(struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "this heapflame was built without eBPF: build it with clang and libbpf-dev installed "
        "('meson setup -Dbpf=enabled' says what is missing)");
}

enum hf_status hf_bpf_program_prepare(struct hf_error *err)
{
    return say_missing(err);
}

enum hf_status hf_bpf_program_new(
    struct hf_bpf_program **out_program, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    (void)out_program, (void)wish;
    return say_missing(err);
}

void hf_bpf_program_free(struct hf_bpf_program *program)
{
    (void)program;
}

int hf_bpf_program_map(const struct hf_bpf_program *program, enum hf_bpf_map map)
{
    (void)program, (void)map;
    return -1;
}

uint32_t hf_bpf_program_processors(const struct hf_bpf_program *program)
{
    (void)program;
    return 0;
}

enum hf_status hf_bpf_program_attach(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *places, size_t count, struct hf_error *err)
{
    (void)program, (void)pid, (void)places, (void)count;
    return say_missing(err);
}

void hf_bpf_program_detach(struct hf_bpf_program *program)
{
    (void)program;
}

void hf_bpf_program_pause(struct hf_bpf_program *program)
{
    (void)program;
}

enum hf_status hf_bpf_maps_open(struct hf_bpf_maps **out_maps, const int files[HF_BPF_MAPS],
    uint32_t processors, hf_bpf_on_stack *on_stack, void *context, struct hf_error *err)
{
    (void)out_maps, (void)files, (void)processors, (void)on_stack, (void)context;
    return say_missing(err);
}

enum hf_status hf_bpf_map_put(struct hf_bpf_maps *maps, enum hf_bpf_map map, const void *key,
    const void *value, struct hf_error *err)
{
    (void)maps, (void)map, (void)key, (void)value;
    return say_missing(err);
}

enum hf_status hf_bpf_source_check(
    const struct hf_probe *probes, size_t probe_count, struct hf_error *err)
{
    (void)probes, (void)probe_count;
    return say_missing(err);
}

enum hf_status hf_bpf_source_open(const struct hf_bpf_source_options *options,
    struct hf_bpf_source **out_source, struct hf_error *err)
{
    (void)options, (void)out_source;
    return say_missing(err);
}

enum hf_status hf_bpf_source_poll(struct hf_bpf_source *source, int wait_ms, struct hf_error *err)
{
    (void)source, (void)wait_ms;
    return say_missing(err);
}

bool hf_bpf_source_has_ended(const struct hf_bpf_source *source)
{
    (void)source;
    return false;
}

enum hf_status hf_bpf_source_look(struct hf_bpf_source *source, struct hf_error *err)
{
    (void)source;
    return say_missing(err);
}

enum hf_status hf_bpf_source_stop(struct hf_bpf_source *source, struct hf_error *err)
{
    (void)source;
    return say_missing(err);
}

enum hf_status hf_bpf_source_gather(const struct hf_bpf_gathering *gathering, struct hf_error *err)
{
    (void)gathering;
    return say_missing(err);
}

struct hf_stack_counts hf_bpf_source_stacks(const struct hf_bpf_source *source)
{
    (void)source;
    return (struct hf_stack_counts){0};
}

enum hf_status hf_bpf_source_follow_births(
    struct hf_bpf_source *source, bool follows, struct hf_error *err)
{
    (void)source, (void)follows;
    return say_missing(err);
}

uint64_t hf_bpf_source_stops(const struct hf_bpf_source *source, uint64_t *out_births)
{
    (void)source;
    *out_births = 0;
    return 0;
}

void hf_bpf_source_close(struct hf_bpf_source *source)
{
    (void)source;
}
