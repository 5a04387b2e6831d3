/* In the place of bpf_program.c and bpf_source.c, where this is built without eBPF (meson -Dbpf).
 */
#include "attach/bpf/bpf_program.h"
#include "attach/bpf/bpf_source.h"

static enum hf_status say_missing(struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "this heapflame was built without eBPF: build it with clang and libbpf-dev installed "
        "('meson setup -Dbpf=enabled' says what it misses)");
}

enum hf_status hf_bpf_program_load(struct hf_bpf_program **out_program, bool is_session,
    hf_bpf_on_stack *on_stack, void *context, struct hf_error *err)
{
    (void)out_program, (void)is_session, (void)on_stack, (void)context;
    return say_missing(err);
}

void hf_bpf_program_free(struct hf_bpf_program *program)
{
    (void)program;
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

enum hf_status hf_bpf_source_stop(struct hf_bpf_source *source, struct hf_error *err)
{
    (void)source;
    return say_missing(err);
}

struct hf_stack_counts hf_bpf_source_stacks(const struct hf_bpf_source *source)
{
    (void)source;
    return (struct hf_stack_counts){0};
}

void hf_bpf_source_close(struct hf_bpf_source *source)
{
    (void)source;
}
