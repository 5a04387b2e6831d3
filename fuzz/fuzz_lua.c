/*
 * The frames of a Lua process: whatever its memory says, reading ends, and frames are right outward
 * of native ones, in their order.
 *
 * Input: what six native frames are, two bits each: luaV_execute, luaD_rawrunprotected, or another;
 * the next bit says that a block at BASE + 0x2000 was moved to BASE + 0x2800; 16 bits in all. Then
 * the memory from BASE on, which begins with the native stack, 320 bytes a frame. At BASE + 0x3000
 * is the machine code of luaV_execute, and behind it that of luaH_new.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/lua/call_infos.h"
#include "unwind/lua/instructions.h"

#define BASE 0x10000u
#define STACK_BYTES 320u
#define NATIVES 6u
#define MOVED_FROM (BASE + 0x2000)
#define MOVED_TO (BASE + 0x2800)
#define EXECUTE (BASE + 0x3000)
#define EXECUTE_BYTES 4096u
#define CATCH 0x500000u
#define TOLD 16u /* frames of a chain that are told */
#define READS 2  /* the second one knows what the first has learned */

static bool find_function(void *context, uint64_t address, struct hf_lua_range *out_function)
{
    (void)context;
    bool is_execute = address - EXECUTE < EXECUTE_BYTES;
    *out_function = is_execute ? (struct hf_lua_range){EXECUTE, EXECUTE_BYTES}
                               : (struct hf_lua_range){CATCH, 64};
    return is_execute || address - CATCH < 64;
}

static void tell_text(const char *what, const char *bytes, size_t size, size_t most)
{
    if (size > most)
        abort();
    fuzz_tell_named(what, (struct hf_text){bytes, size});
}

/* As the agent makes a frame of the table (agent/interpreter_lua.c). */
static void tell_lua_frame(
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    char name[HF_LUA_NAME_BYTES], file[HF_LUA_TEXT_MAX];
    tell_text("function", name, hf_lua_name_write(memory, frame, name), sizeof name);
    tell_text("file", file, hf_lua_file_write(memory, frame, file), sizeof file);
    fuzz_tell("line %u\n", hf_lua_line(memory, frame));
}

static void tell_lua_chain(const struct hf_interpreted_chain *chain)
{
    uint32_t native = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        uint32_t at = chain->frames[i].native;
        if (at < native || at >= NATIVES)
            abort();
        native = at;
        if (i >= TOLD)
            continue;
        fuzz_tell("frame %u is of native %u\n", i, native);
        tell_lua_frame(chain->memory, &chain->frames[i]);
    }
    if (chain->is_broken && chain->count != 0)
        abort();
    fuzz_tell("%u frames%s%s\n", chain->count, chain->is_broken ? ", broken" : "",
        chain->is_cut ? ", cut" : "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    static const uint64_t pcs[] = {1, EXECUTE + 40, CATCH + 40, 1};
    struct hf_unwind_frame natives[NATIVES];
    struct hf_lua_sight sight = {.pc = 0};
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint16_t which = hf_cursor_u16(&c);
    struct hf_lua_moved moved = {0};
    if ((which >> (2 * NATIVES) & 1) != 0)
        moved = (struct hf_lua_moved){MOVED_FROM, MOVED_TO};
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    struct hf_lua lua = {
        .find_function = find_function, .make_table = {EXECUTE + EXECUTE_BYTES}, .surely = &memory};
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .pc = pcs[which >> 2 * i & 3],
            .sp = BASE + i * STACK_BYTES,
            .caller = i + 1 < NATIVES ? &natives[i + 1] : NULL,
        };
    for (int i = 0; i < READS; i++) {
        if (!hf_lua_runs_here(&lua, &sight, natives)) {
            fuzz_tell("no frame runs Lua\n");
            continue;
        }
        hf_lua_chain_read(&chain, &lua, &sight, &memory, &moved, natives);
        tell_lua_chain(&chain);
    }
    fuzz_free_part(process.bytes);
    return 0;
}
