/* Frames of Lua: threads, calls, names and lines, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/lua/call_infos.h"
#include "unwind/lua/instructions.h"

#define CATCH UINT64_C(0x500000)

enum { MOVE = 0, LOADNIL = 8, GETUPVAL = 9, SETUPVAL = 10, GETTABUP = 11, GETFIELD = 14 };
enum { SETFIELD = 18, NEWTABLE = 19, SELF = 20, MMBIN = 46, UNM = 49, CONCAT = 53, JMP = 56 };
enum { EQ = 57, LT = 58, LE = 59, CALL = 68, TAILCALL = 69, RETURN = 70, TFORCALL = 76 };
enum { CLOSURE = 79, EXTRAARG = 82 };
enum { STATE_AT = 0, JUMP_AT = 32, BYTES = 4096 };

static struct hf_interpreted_chain chain;
static struct hf_lua_sight sight;
static uint64_t machine_code; /* luaV_execute's, where its call of luaH_new is */
static uint64_t global, main_thread, stack, function, source;
static uint32_t code[16];

static bool find_function(void *context, uint64_t address, struct hf_lua_range *out_function)
{
    (void)context;
    bool is_execute = address - machine_code < BYTES;
    *out_function =
        is_execute ? (struct hf_lua_range){machine_code, BYTES} : (struct hf_lua_range){CATCH, 64};
    return is_execute || address - CATCH < 64;
}

static struct hf_lua lua = {.find_function = find_function, .surely = &heap_memory};

static void put_u32(uint64_t address, uint32_t offset, uint32_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static void put_u8(uint64_t address, uint32_t offset, uint8_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static uint64_t get_u64(uint64_t address, uint32_t offset)
{
    return hf_interpreted_u64((const uint8_t *)(uintptr_t)address, offset);
}

static uint32_t op(uint32_t what, uint32_t a, uint32_t b, uint32_t c)
{
    return what | a << 7 | b << 16 | c << 24;
}

static uint32_t jump(int32_t distance)
{
    return JMP | (uint32_t)(distance + (1 << 24) - 1) << 7;
}

static uint64_t make_object(uint8_t type, size_t size)
{
    uint64_t object = make(size);
    put_u8(object, HF_LUA_TYPE, type);
    return object;
}

static uint64_t make_string(const char *text)
{
    size_t size = strlen(text);
    bool is_short = size <= 40;
    uint64_t string =
        make_object(is_short ? HF_LUA_SHORT_STRING : HF_LUA_LONG_STRING, HF_LUA_STRING_TEXT + size);
    put_u8(string, HF_LUA_STRING_SHORT_SIZE, is_short ? (uint8_t)size : 0);
    put_u64(string, HF_LUA_STRING_LONG_SIZE, is_short ? 77 : size);
    memcpy((void *)(uintptr_t)(string + HF_LUA_STRING_TEXT), text, size);
    return string;
}

/* Sixteen instructions, of which each is a line further, in a function that begins at `line`. */
static uint64_t make_function(uint32_t line)
{
    uint64_t f = make_object(HF_LUA_FUNCTION, HF_LUA_FUNCTION_BYTES), lines = make(16);
    memset((void *)(uintptr_t)lines, 1, 16);
    put_u32(f, HF_LUA_FUNCTION_CODE_COUNT, 16);
    put_u32(f, HF_LUA_FUNCTION_LINE_COUNT, 16);
    put_u32(f, HF_LUA_FUNCTION_FIRST_LINE, line);
    put_u64(f, HF_LUA_FUNCTION_CODE, make(16 * 4));
    put_u64(f, HF_LUA_FUNCTION_LINES, lines);
    put_u64(f, HF_LUA_FUNCTION_SOURCE, source);
    return f;
}

static uint64_t make_thread(void)
{
    uint64_t thread = make_object(HF_LUA_THREAD, HF_LUA_THREAD_BYTES);
    uint64_t values = make(16 * 16);
    put_u64(thread, HF_LUA_THREAD_GLOBAL, global);
    put_u64(thread, HF_LUA_THREAD_STACK, values);
    put_u64(thread, HF_LUA_THREAD_STACK_LAST, values + 16 * 16);
    put_u64(thread, HF_LUA_THREAD_CALL, thread + HF_LUA_THREAD_BASE_CALL);
    put_u32(thread, HF_LUA_THREAD_BASE_CALL + HF_LUA_CALL_STATUS - 2, HF_LUA_CALL_IS_NATIVE << 16);
    return thread;
}

/* The thread calls a function, 0: one of C, at the next place of its stack. */
static uint64_t push_call(uint64_t thread, uint64_t called, uint32_t next, uint32_t status)
{
    uint64_t previous = get_u64(thread, HF_LUA_THREAD_CALL), call = make(HF_LUA_CALL_BYTES);
    uint64_t values = get_u64(thread, HF_LUA_THREAD_STACK);
    bool is_first = previous == thread + HF_LUA_THREAD_BASE_CALL;
    uint64_t place = is_first ? values : get_u64(previous, HF_LUA_CALL_FUNCTION) + 16;
    put_u64(call, HF_LUA_CALL_FUNCTION, place);
    put_u64(call, HF_LUA_CALL_PREVIOUS, previous);
    put_u32(call, HF_LUA_CALL_STATUS - 2, status << 16);
    put_u64(thread, HF_LUA_THREAD_CALL, call);
    if (called == 0)
        return call;
    uint64_t closure = make_object(HF_LUA_CLOSURE, HF_LUA_CLOSURE_BYTES);
    put_u64(closure, HF_LUA_CLOSURE_FUNCTION, called);
    put_u64(call, HF_LUA_CALL_PC, get_u64(called, HF_LUA_FUNCTION_CODE) + next * UINT64_C(4));
    put_u64(place, 0, closure);
    put_u8(place, HF_LUA_TYPE, HF_LUA_CLOSURE | HF_LUA_IS_OBJECT);
    return call;
}

/* A native frame catches errors of a thread. */
static void catches(size_t native, uint64_t thread)
{
    natives[native].pc = CATCH + 40;
    put_u64(natives[native].sp, STATE_AT, thread);
    put_u64(thread, HF_LUA_THREAD_JUMP, natives[native].sp + JUMP_AT);
}

/* The main thread runs code of a file, in native frames 3 and 4; nothing is further in. */
static void begin(void)
{
    heap.used = 0;
    memset(&sight, 0, sizeof sight);
    make_natives();
    machine_code = make(BYTES);
    lua.make_table[0] = machine_code + BYTES;
    lua.make_table[1] = lua.make_table[0] + 64;
    global = make(HF_LUA_GLOBAL_MAIN + 8);
    source = make_string("@/srv/app/orders.lua");
    main_thread = make_thread();
    stack = get_u64(main_thread, HF_LUA_THREAD_STACK);
    put_u64(global, HF_LUA_GLOBAL_MAIN, main_thread);
    natives[1].pc = machine_code + 40;
    function = make_function(0);
    natives[2].pc = machine_code + 40;
    catches(3, main_thread);
    push_call(main_thread, function, 2, HF_LUA_CALL_IS_FRESH);
}

static void read_moved(struct hf_lua_moved moved)
{
    hf_lua_chain_read(&chain, &lua, &sight, &heap_memory, &moved, natives);
}

static void read_chain(void)
{
    read_moved((struct hf_lua_moved){0});
}

static void expect_name(size_t frame, const char *text)
{
    char out[HF_LUA_NAME_BYTES + 1];
    size_t size = hf_lua_name_write(&heap_memory, &chain.frames[frame], out);
    out[size] = '\0';
    assert_string_equal(out, text);
}

static void expect_file(const char *said, const char *text)
{
    char out[HF_LUA_TEXT_MAX + 1];
    struct hf_interpreted_frame frame = {.file = said != NULL ? make_string(said) : 0};
    size_t size = hf_lua_file_write(&heap_memory, &frame, out);
    out[size] = '\0';
    assert_string_equal(out, text);
}

static void reads_frames(void **state)
{
    (void)state;
    begin();
    uint64_t inner = make_function(41);
    assert_true(hf_lua_runs_here(&lua, &sight, natives));
    push_call(main_thread, inner, 5, 0);
    push_call(main_thread, 0, 0, HF_LUA_CALL_IS_NATIVE);
    read_chain();
    assert_true(chain.count == 2 && !chain.is_broken);
    assert_int_equal(chain.frames[0].native, 1);
    assert_int_equal(chain.frames[1].native, 1);
    expect_name(0, "function <orders.lua:41>");
    expect_name(1, "<main>");
    assert_int_equal(hf_lua_line(&heap_memory, &chain.frames[0]), 46);
    assert_int_equal(hf_lua_line(&heap_memory, &chain.frames[1]), 2);
    assert_true(hf_lua_runs_here(&lua, &sight, natives));
    natives[3].pc = natives[1].pc = natives[2].pc = 1;
    assert_false(hf_lua_runs_here(&lua, &sight, natives));
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
}

/* A coroutine is resumed: its frames are inward of those that resumed it. */
static void reads_coroutines(void **state)
{
    (void)state;
    begin();
    uint64_t coroutine = make_thread();
    push_call(main_thread, 0, 0, HF_LUA_CALL_IS_NATIVE);
    natives[1].pc = machine_code + 8;
    catches(2, coroutine);
    natives[3].pc = machine_code + 40;
    catches(4, main_thread);
    push_call(coroutine, make_function(7), 0, HF_LUA_CALL_IS_FRESH);
    push_call(coroutine, make_function(9), 3, HF_LUA_CALL_IS_FRESH); /* after a yield through C */
    read_chain();
    assert_true(chain.count == 3 && !chain.is_broken);
    expect_name(0, "function <orders.lua:9>");
    expect_name(1, "function <orders.lua:7>");
    assert_int_equal(chain.frames[1].offset, HF_LUA_BEFORE_CODE);
    assert_int_equal(hf_lua_line(&heap_memory, &chain.frames[1]), 7);
    assert_true(chain.frames[0].native == 1 && chain.frames[1].native == 1);
    assert_int_equal(chain.frames[2].native, 3);
    natives[3].pc = 1; /* its function is not there any more: it goes on later */
    read_chain();
    assert_int_equal(chain.frames[2].native, 4);
}

/* A function of C that a coroutine calls runs the main thread again. */
static void reads_what_is_entered_again(void **state)
{
    (void)state;
    begin();
    uint64_t coroutine = make_thread();
    natives[0].pc = machine_code + 8;
    catches(3, coroutine);
    natives[4].pc = CATCH + 40;
    put_u64(natives[4].sp, STATE_AT, main_thread);
    push_call(main_thread, 0, 0, HF_LUA_CALL_IS_NATIVE);
    push_call(main_thread, make_function(5), 1, HF_LUA_CALL_IS_FRESH);
    push_call(coroutine, make_function(7), 1, HF_LUA_CALL_IS_FRESH);
    catches(1, main_thread);
    read_chain();
    assert_true(chain.count == 3 && !chain.is_broken);
    expect_name(0, "function <orders.lua:5>");
    expect_name(1, "<main>");
    expect_name(2, "function <orders.lua:7>");
}

/* C code called a function: that is another run of luaV_execute. */
static void gives_each_run_its_frame(void **state)
{
    (void)state;
    begin();
    push_call(main_thread, make_function(3), 1, 0);
    push_call(main_thread, 0, 0, HF_LUA_CALL_IS_NATIVE);
    push_call(main_thread, make_function(5), 1, HF_LUA_CALL_IS_FRESH);
    push_call(main_thread, make_function(6), 1, 0);
    read_chain();
    static const uint32_t expected[] = {1, 1, 2, 2};
    assert_int_equal(chain.count, 4);
    for (size_t i = 0; i < HF_COUNT(expected); i++)
        assert_int_equal(chain.frames[i].native, expected[i]);
    uint64_t hash = chain.hash;
    put_u64(get_u64(main_thread, HF_LUA_THREAD_CALL), HF_LUA_CALL_PREVIOUS, 8);
    read_chain();
    assert_true(chain.is_broken && chain.count == 0 && hash != 0);
}

static void refuses(uint64_t object, uint32_t offset, uint64_t value)
{
    uint64_t was = get_u64(object, offset);
    put_u64(object, offset, value);
    read_chain();
    assert_true(chain.is_broken && chain.count == 0);
    put_u64(object, offset, was);
    read_chain();
    assert_true(!chain.is_broken && chain.count == 1);
}

static void refuses_what_is_none(void **state)
{
    (void)state;
    begin();
    uint64_t call = get_u64(main_thread, HF_LUA_THREAD_CALL), closure = get_u64(stack, 0);
    read_chain();
    refuses(main_thread, HF_LUA_TYPE, HF_LUA_FUNCTION);
    refuses(main_thread, HF_LUA_THREAD_JUMP, natives[2].sp);
    refuses(main_thread, HF_LUA_THREAD_STACK, stack + 16);
    refuses(main_thread, HF_LUA_THREAD_CALL, 24);
    refuses(call, HF_LUA_CALL_FUNCTION, stack + 8);
    refuses(call, HF_LUA_CALL_PC, 8);
    refuses(stack, 0, 8);
    refuses(stack, 0, function);
    refuses(stack, HF_LUA_TYPE, 0x66); /* a closure of C */
    refuses(closure, HF_LUA_CLOSURE_FUNCTION, closure);
    refuses(function, HF_LUA_FUNCTION_SOURCE, closure);
    put_u64(natives[3].sp, STATE_AT, 8);
    read_chain();
    assert_true(chain.is_broken);
    assert_true(hf_lua_is_known(0x050404));
    assert_false(hf_lua_is_known(0x050306) || hf_lua_is_known(0x050406));
}

/* A frame of another thread, or with a word that is none, teaches nothing. */
static void learns_what_is_sure(void **state)
{
    (void)state;
    begin();
    put_u64(global, HF_LUA_GLOBAL_MAIN, function);
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken && sight.pc == 0);
    put_u64(global, HF_LUA_GLOBAL_MAIN, main_thread);
    put_u64(
        main_thread, HF_LUA_THREAD_JUMP, natives[3].sp + 48); /* it would end behind the frame */
    read_chain();
    assert_true(chain.count == 0 && sight.pc == 0);
    catches(3, main_thread);
    put_u64(natives[3].sp, STATE_AT, 0);
    put_u64(natives[3].sp, JUMP_AT + 16, main_thread); /* what the caller had in a register */
    read_chain();
    assert_true(chain.count == 0 && sight.pc == 0);
    for (uint32_t i = 0; i < HF_LUA_TRIES; i++)
        assert_true(hf_lua_runs_here(&lua, &sight, natives));
    assert_false(hf_lua_runs_here(&lua, &sight, natives));
    catches(3, main_thread);
    read_chain();
    assert_true(chain.count == 1 && sight.pc == CATCH + 40);
}

/* Lua's stack has been moved, and Lua does not know yet. */
static void follows_what_moved(void **state)
{
    (void)state;
    begin();
    uint64_t to = make(16 * 16);
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)stack, 16 * 16);
    memset((void *)(uintptr_t)stack, 0x5a, 16 * 16);
    read_chain();
    assert_true(chain.is_broken);
    read_moved((struct hf_lua_moved){stack, to});
    assert_true(chain.count == 1 && !chain.is_broken);
    read_moved((struct hf_lua_moved){stack, 0});
    assert_true(chain.count == 0 && !chain.is_broken);
    read_moved((struct hf_lua_moved){to, 0});
    assert_true(chain.is_broken);
}

/* The main code's instruction `at` calls a function that begins at line 8. */
static void expect_called(size_t at, const char *text)
{
    begin();
    uint64_t upvalues = make(2 * 16), constants = make(2 * 16), locals = make(2 * 16);
    put_u64(upvalues, 16, make_string("kept"));
    put_u64(constants, 0, make_string("load"));
    put_u8(constants, HF_LUA_TYPE, HF_LUA_SHORT_STRING | HF_LUA_IS_OBJECT);
    put_u64(locals, 0, make_string("gone"));
    put_u64(locals, 8, UINT64_C(1) << 32);
    put_u64(locals, 16, make_string("shown"));
    put_u64(locals, 24, UINT64_C(16) << 32);
    put_u32(function, HF_LUA_FUNCTION_UPVALUE_COUNT, 2);
    put_u32(function, HF_LUA_FUNCTION_CONSTANT_COUNT, 2);
    put_u32(function, HF_LUA_FUNCTION_LOCAL_COUNT, 2);
    put_u64(function, HF_LUA_FUNCTION_UPVALUES, upvalues);
    put_u64(function, HF_LUA_FUNCTION_CONSTANTS, constants);
    put_u64(function, HF_LUA_FUNCTION_LOCALS, locals);
    uint64_t instructions = get_u64(function, HF_LUA_FUNCTION_CODE);
    memcpy((void *)(uintptr_t)instructions, code, sizeof code);
    put_u64(get_u64(main_thread, HF_LUA_THREAD_CALL), HF_LUA_CALL_PC, instructions + 4 * at + 4);
    push_call(main_thread, make_function(8), 1, 0);
    read_chain();
    assert_int_equal(chain.count, 2);
    expect_name(0, text);
}

struct called_case {
    uint32_t instructions[4]; /* the last one calls */
    const char *name;
};

#define NAMELESS "function <orders.lua:8>"

static void names_by_the_call(void **state)
{
    (void)state;
    const struct called_case cases[] = {
        {{0, 0, op(GETTABUP, 5, 0, 0), op(CALL, 5, 1, 1)}, "load"},
        {{0, 0, op(GETFIELD, 5, 3, 0), op(CALL, 5, 1, 1)}, "load"},
        {{0, 0, op(GETFIELD, 5, 3, 1), op(CALL, 5, 1, 1)}, NAMELESS}, /* no string */
        {{0, 0, op(GETFIELD, 5, 3, 2), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, 0, op(SELF, 5, 3, 0) | 1u << 15, op(CALL, 5, 2, 1)}, "load"},
        {{0, 0, op(SELF, 5, 3, 0), op(CALL, 5, 2, 1)}, NAMELESS},
        {{0, op(GETUPVAL, 5, 1, 0), op(GETTABUP, 6, 0, 0), op(CALL, 5, 2, 1)}, "kept"},
        {{0, 0, op(GETUPVAL, 5, 2, 0), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, 0, 0, op(CALL, 0, 1, 1)}, "shown"},
        {{0, 0, op(MOVE, 5, 0, 0), op(CALL, 5, 1, 1)}, "shown"},
        {{0, 0, op(MOVE, 5, 6, 0), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, op(GETTABUP, 5, 0, 0), op(SETFIELD, 5, 0, 0), op(TAILCALL, 5, 1, 1)}, "load"},
        {{0, op(GETTABUP, 5, 0, 0), op(LOADNIL, 4, 3, 0), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, op(GETTABUP, 5, 0, 0), op(CALL, 4, 1, 2), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, op(GETTABUP, 5, 0, 0), op(SETUPVAL, 5, 0, 0), op(CALL, 5, 1, 1)}, "load"},
        {{0, op(GETTABUP, 5, 0, 0), op(TFORCALL, 3, 0, 2), op(CALL, 5, 1, 1)}, NAMELESS},
        {{jump(2), 0, op(GETTABUP, 5, 0, 0), op(CALL, 5, 1, 1)}, NAMELESS}, /* one of two */
        {{jump(1), 0, op(GETTABUP, 5, 0, 0), op(CALL, 5, 1, 1)}, "load"},
        {{0, 0, 0, op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, 0, op(CLOSURE, 5, 0, 0), op(CALL, 5, 1, 1)}, NAMELESS},
        {{0, 0, 0, op(TFORCALL, 3, 0, 2)}, "for iterator"},
        {{0, 0, 0, op(GETFIELD, 3, 0, 2)}, "__index"},
        {{0, 0, 0, op(SETFIELD, 3, 0, 2)}, "__newindex"},
        {{0, 0, 0, op(MMBIN, 3, 0, 8)}, "__mul"},
        {{0, 0, 0, op(MMBIN, 3, 0, 0)}, NAMELESS},
        {{0, 0, 0, op(UNM, 3, 0, 0)}, "__unm"},
        {{0, 0, 0, op(50, 3, 0, 0)}, "__bnot"},
        {{0, 0, 0, op(52, 3, 0, 0)}, "__len"},
        {{0, 0, 0, op(CONCAT, 3, 2, 0)}, "__concat"},
        {{0, 0, 0, op(EQ, 3, 2, 0)}, "__eq"},
        {{0, 0, 0, op(LT, 3, 2, 0)}, "__lt"},
        {{0, 0, 0, op(LE, 3, 2, 0)}, "__le"},
        {{0, 0, 0, op(RETURN, 3, 2, 0)}, "__close"},
        {{0, 0, 0, op(CLOSURE, 3, 2, 0)}, NAMELESS},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        memset(code, 0x7f, sizeof code);
        memcpy(code, cases[i].instructions, sizeof cases[i].instructions);
        expect_called(3, cases[i].name);
    }
    assert_true(hf_lua_is_name("load", 4) && !hf_lua_is_name(NAMELESS, strlen(NAMELESS)));
    assert_false(hf_lua_is_name("", 0));
}

/* By C, in place of its caller, or by the collector. */
static void names_by_who_calls(void **state)
{
    (void)state;
    memset(code, 0x7f, sizeof code);
    code[0] = op(GETTABUP, 5, 0, 0);
    code[1] = op(CALL, 5, 1, 1);
    expect_called(1, "load");
    uint64_t call = get_u64(main_thread, HF_LUA_THREAD_CALL), hash = chain.hash;
    put_u32(call, HF_LUA_CALL_STATUS - 2, HF_LUA_CALL_IS_TAIL << 16);
    read_chain();
    expect_name(0, NAMELESS);
    assert_true(chain.hash != hash && chain.frames[0].lines != 0);
    put_u32(call, HF_LUA_CALL_STATUS - 2, 0);
    uint64_t caller = get_u64(call, HF_LUA_CALL_PREVIOUS);
    put_u32(caller, HF_LUA_CALL_STATUS - 2, HF_LUA_CALL_IS_HOOKED << 16);
    read_chain();
    expect_name(0, NAMELESS);
    put_u32(caller, HF_LUA_CALL_STATUS - 2, HF_LUA_CALL_IS_FINALIZER << 16);
    read_chain();
    expect_name(0, "__gc");
    struct hf_interpreted_frame frame = {.name = call};
    assert_int_equal(hf_lua_name_write(&heap_memory, &frame, (char[HF_LUA_NAME_BYTES]){0}), 0);
}

static void reads_lines(void **state)
{
    (void)state;
    begin();
    struct hf_interpreted_frame frame = {.name = make_function(100)};
    uint64_t lines = make(600), marks = make(2 * 8);
    memset((void *)(uintptr_t)lines, 1, 600);
    put_u64(frame.name, HF_LUA_FUNCTION_LINES, lines);
    put_u32(frame.name, HF_LUA_FUNCTION_LINE_COUNT, 600);
    put_u8(lines, 3, (uint8_t)-2);
    frame.offset = 2;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 103);
    frame.offset = 4;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 102);
    frame.offset = 500; /* too far from where the function begins */
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 0);
    put_u32(frame.name, HF_LUA_FUNCTION_MARK_COUNT, 2);
    put_u64(frame.name, HF_LUA_FUNCTION_MARKS, marks);
    put_u64(marks, 0, 5 | UINT64_C(1000) << 32);
    put_u64(marks, 8, 490 | UINT64_C(2000) << 32);
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 2010);
    frame.offset = 490;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 2000);
    frame.offset = 6;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 1001);
    frame.offset = 4;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 102);
    frame.offset = 600; /* there is none */
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 0);
    put_u64(frame.name, HF_LUA_FUNCTION_MARKS, 8);
    frame.offset = 6;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 0);
    frame.name = marks;
    assert_int_equal(hf_lua_line(&heap_memory, &frame), 0);
}

static void reads_files(void **state)
{
    (void)state;
    char path[302];
    begin();
    memset(path, 'd', sizeof path - 1);
    path[0] = '@';
    path[sizeof path - 1] = '\0';
    expect_file("@/srv/a.lua", "/srv/a.lua");
    expect_file("=stdin", "stdin");
    expect_file("return 1", "(eval)");
    expect_file("@", "(eval)");
    expect_file(path, path + sizeof path - 1 - HF_LUA_TEXT_MAX);
    expect_file(NULL, "?");
    struct hf_interpreted_frame frame = {.file = function};
    assert_int_equal(hf_lua_file_write(&heap_memory, &frame, (char[HF_LUA_TEXT_MAX]){0}), 0);
}

/* The second instruction makes a table; the call still has the first. */
static void expect_offset(uint32_t offset)
{
    read_chain();
    assert_int_equal(chain.frames[0].offset, offset);
}

static void finds_what_makes_a_table(void **state)
{
    (void)state;
    begin();
    uint64_t instructions = get_u64(function, HF_LUA_FUNCTION_CODE);
    int32_t distance = (int32_t)(lua.make_table[1] - natives[1].pc);
    put_u32(instructions, 4 * 5, op(NEWTABLE, 1, 0, 0));
    put_u32(instructions, 4 * 6, EXTRAARG);
    put_u32(instructions, 4 * 9, op(NEWTABLE, 1, 0, 0));
    put_u32(instructions, 4 * 10, EXTRAARG);
    put_u64(natives[1].sp - 32, 0, instructions + 4 * 7);
    expect_offset(1); /* the machine's call is another */
    put_u8(natives[1].pc - 5, 0, 0xe8);
    put_u32(natives[1].pc - 4, 0, (uint32_t)distance);
    expect_offset(5);
    put_u64(natives[1].sp - 16, 0, instructions + 4 * 11); /* nearer, but left from another call */
    expect_offset(5);
    put_u64(natives[1].sp - 32, 0, instructions + 4 * 11);
    put_u64(natives[1].sp - 16, 0, instructions + 4 * 7);
    expect_offset(9);
    put_u64(natives[1].sp - 32, 0, instructions + 4 * 8); /* none of the words is one */
    put_u64(natives[1].sp - 16, 0, instructions + 2);
    expect_offset(1);
    put_u32(natives[1].pc - 4, 0, (uint32_t)distance + 4);
    expect_offset(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_frames),
        cmocka_unit_test(reads_coroutines),
        cmocka_unit_test(reads_what_is_entered_again),
        cmocka_unit_test(gives_each_run_its_frame),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(learns_what_is_sure),
        cmocka_unit_test(follows_what_moved),
        cmocka_unit_test(names_by_the_call),
        cmocka_unit_test(names_by_who_calls),
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(finds_what_makes_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
