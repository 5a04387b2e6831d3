#include "answer/interpreters.h"

#include "profile/modules.h"
#include "spec/pattern.h"

struct interpreter_language {
    const char *program; /* the name of its file, a glob */
    bool is_compiled;    /* while it runs: a perf map has the names */
    const char *words;
};

static const struct interpreter_language languages[] = {
    {"node*", true,
        "functions of JavaScript have no names; node --perf-basic-prof gives them (its own objects "
        "are outside of malloc: node --heapsnapshot-signal=SIGUSR2 writes them)"},
    {"java", true,
        "methods of Java have no names; java -XX:+UnlockDiagnosticVMOptions "
        "-XX:+DumpPerfMapAtExit gives those of compiled ones (its own objects are outside of "
        "malloc: jcmd PID GC.class_histogram lists them)"},
    {"lua*", false,
        "functions of Lua are not seen, only those of its interpreter; collectgarbage(\"count\") "
        "before and after a call says what it keeps"},
};

/* NULL: none of these. */
static const struct interpreter_language *language_of(const struct hf_profile *profile)
{
    uint32_t program = hf_modules_program(profile);
    if (program == HF_NO_MODULE)
        return NULL;
    struct hf_text name =
        hf_text_basename(hf_profile_text(profile, profile->modules[program].path));
    for (size_t i = 0; i < HF_COUNT(languages); i++) {
        if (hf_glob_matches(hf_text_of(languages[i].program), name))
            return &languages[i];
    }
    return NULL;
}

/* True if there are lines of what an interpreter runs. */
static bool has_interpreted(const struct hf_profile *profile)
{
    for (uint32_t i = 0; i < profile->frames.count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, i);
        if ((frame->flags & HF_FRAME_NAMED) != 0 && frame->file != HF_NO_STRING)
            return true;
    }
    return false;
}

/* True if code that was made at run time is in a stack, and nothing says what it was made of. */
static bool is_compiled_unnamed(const struct hf_profile *profile)
{
    bool is_there = false;
    for (uint32_t i = 0; i < profile->frames.count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, i);
        struct hf_text path = hf_profile_text(profile, profile->modules[frame->module].path);
        bool is_bare = frame->module == HF_NO_MODULE && (frame->flags & HF_FRAME_HAS_OFFSET) != 0;
        if (!is_bare && !hf_text_is(path, HF_ANONYMOUS) && !hf_text_is(path, HF_JIT))
            continue;
        if (hf_profile_is_expanded(profile, i) || frame->name != HF_NO_STRING)
            return false;
        is_there = true;
    }
    return is_there;
}

void hf_note_interpreter(const struct hf_profile *profile, struct hf_notes *notes)
{
    const struct interpreter_language *language = language_of(profile);
    if (language == NULL || profile->sample_count == 0 || has_interpreted(profile) ||
        (language->is_compiled && !is_compiled_unnamed(profile)))
        return;
    hf_notes_add(notes, HF_NOTE_INFO, "%s", language->words);
}
