#include "cli/process/attach/attach_service.h"

#include "attach/keeper/keeper_line.h"

static void worker_ended(void *keeper)
{
    hf_keeper_reset(keeper);
}

struct hf_reader_service hf_attach_service(
    struct hf_keeper *keeper, const struct hf_session_options *how)
{
    return (struct hf_reader_service){
        .first = HF_KEEPER_WANT,
        .serve = hf_keeper_serve,
        .worker_ended = worker_ended,
        .context = keeper,
        .kept = {.follows = true, .seconds = how->duration_ns / 1000000000 + 1},
    };
}
