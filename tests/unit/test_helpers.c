/* Which functions of a program are helpers: programs of a few entries each, as GCC writes them. */
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "dwarf/call_graph.h"
#include "dwarf/constants.h"
#include "dwarf/helpers.h"
#include "failing_malloc.h"

#include <time.h>

enum {
    UNIT = 1,
    MAKES,
    KEEPS,
    CALL,
    POINTER,
    NUMBER,
    CONST,
    RESTRICT,
    ATOMIC,
    TO,
    CLASS,
    PARAMETER,
    OBJECT,
    MEMBER,
    ARRAY,
    TYPEDEF,
    VARIABLE
};

static const uint8_t abbrevs[] = {
    UNIT,
    DW_TAG_compile_unit,
    1,
    0,
    0, //
    MAKES,
    DW_TAG_subprogram,
    1,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_line,
    DW_FORM_data1, //
    DW_AT_external,
    DW_FORM_flag_present,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    KEEPS,
    DW_TAG_subprogram,
    1,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_line,
    DW_FORM_data1, //
    DW_AT_external,
    DW_FORM_flag_present,
    0,
    0, //
    CALL,
    DW_TAG_call_site,
    0,
    DW_AT_call_origin,
    DW_FORM_ref4,
    0,
    0, //
    POINTER,
    DW_TAG_pointer_type,
    0,
    0,
    0, //
    NUMBER,
    DW_TAG_base_type,
    0,
    0,
    0, //
    CONST,
    DW_TAG_const_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    RESTRICT,
    DW_TAG_restrict_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    ATOMIC,
    DW_TAG_atomic_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,  //
    TO, // a pointer to a type
    DW_TAG_pointer_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    CLASS,
    DW_TAG_structure_type,
    0,
    DW_AT_name,
    DW_FORM_string,
    0,
    0, //
    PARAMETER,
    DW_TAG_formal_parameter,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,      //
    OBJECT, // a class with members
    DW_TAG_structure_type,
    1,
    DW_AT_name,
    DW_FORM_string,
    0,
    0, //
    MEMBER,
    DW_TAG_member,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,     //
    ARRAY, // of Fortran
    DW_TAG_array_type,
    0,
    DW_AT_allocated,
    DW_FORM_flag_present,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    TYPEDEF,
    DW_TAG_typedef,
    0,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_line,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0, //
    VARIABLE,
    DW_TAG_variable,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_location,
    DW_FORM_exprloc,
    0,
    0, //
    0,
};

#define FUNCTIONS_MAX 16
#define CALLS_MAX 6

/* What a function returns; from TAKEN on: it returns nothing, and takes that first. */
enum kind {
    NOTHING,
    A_NUMBER,
    A_POINTER,
    A_VIEW,           /* const Route * */
    A_ROUTE,          /* Route * */
    A_TEXT,           /* an object with a pointer */
    A_POINT,          /* one without */
    A_BYTES,          /* a pointer to numbers */
    SOME_CONST_BYTES, /* to what is const */
    A_LIST,           /* List<int> * */
    TAKEN = A_LIST,
    A_CONST_LIST,     /* const List<int> * */
    A_SESSION,        /* Session * */
    A_MAP,            /* Map<int> *; there is a Map<long>, too */
    A_TABLE,          /* Table *, with a Route * */
    AN_ARRAY,         /* of Fortran, to be allocated */
    A_CONST_ROUTE,    /* Route *const */
    A_RESTRICT_ROUTE, /* Route *restrict */
    AN_ATOMIC_ROUTE,  /* _Atomic(Route *) */
    A_WAVE,           /* Wave *: a pointer to numbers, and two numbers */
    A_NODE,           /* Node *: a pointer to numbers, and a Route * */
    A_TRACE,          /* Trace *: a pointer to pointers to numbers, and two numbers */
    A_PARSER,         /* Parser *: a const Route *, and a number */
    A_PART,           /* Part *, with a Route *, which Job and Printer have as a member */
    AN_ONLY_PART,     /* the same, which one has twice */
    A_PLACE,          /* Parser **, a place for one */
    BYTES_PLACE,      /* to such a pointer */
    KINDS
};

#define TAKES(kind) ((unsigned)(kind) << 8)
#define LASTS 0x80 /* no function: a variable of the type that is taken, at an address */
#define ON_STACK 0x81
#define KEEPER 2 /* a helper that may keep what it makes */

/* A function of a test's program: "name", what it returns, and whom it calls. */
struct called {
    const char *name;
    unsigned returns;             /* a kind, perhaps with what it takes, TAKES(kind) */
    uint8_t line;                 /* 0: its own */
    const char *calls[CALLS_MAX]; /* up to the first NULL */
    int is_helper;                /* what is expected; or KEEPER */
};

static size_t number_of(const struct called *program, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(program[i].name, name) == 0)
            return i;
    fail_msg("no function %s", name);
    return 0;
}

static void put_variable(struct hf_out *info, uint32_t type, bool lasts)
{
    put_u8(info, VARIABLE);
    put_u32(info, type);
    put_u8(info, 9);
    put_u8(info, lasts ? DW_OP_addr : DW_OP_breg0);
    put_u64(info, 4);
}

/* `offsets`: of the functions, which calls refer to; known in the second round. */
static void put_function(struct hf_out *info, const struct called *program, size_t count, size_t at,
    const uint32_t *types, uint32_t *offsets)
{
    const struct called *function = &program[at];
    offsets[at] = (uint32_t)info->size;
    unsigned returned = function->returns & 0xff, takes = function->returns >> 8;
    if (returned == LASTS || returned == ON_STACK) {
        put_variable(info, types[takes], returned == LASTS);
        return;
    }
    bool returns = returned != NOTHING && returned < TAKEN;
    put_u8(info, returns ? MAKES : KEEPS);
    put_string(info, function->name);
    put_u8(info, function->line != 0 ? function->line : (uint8_t)(100 + at));
    if (returns)
        put_u32(info, types[returned]);
    if (returned >= TAKEN)
        takes = returned;
    if (takes != NOTHING) {
        put_u8(info, PARAMETER);
        put_u32(info, types[takes]);
    }
    for (size_t i = 0; i < CALLS_MAX && function->calls[i] != NULL; i++) {
        put_u8(info, CALL);
        put_u32(info, offsets[number_of(program, count, function->calls[i])]);
    }
    put_u8(info, 0);
}

static uint32_t put_type(struct hf_out *info, uint8_t kind, uint32_t of)
{
    uint32_t offset = (uint32_t)info->size;
    put_u8(info, kind);
    put_u32(info, of);
    return offset;
}

static uint32_t put_class(struct hf_out *info, const char *name)
{
    uint32_t offset = (uint32_t)info->size;
    put_u8(info, CLASS);
    put_string(info, name);
    return offset;
}

static uint32_t put_object_of(
    struct hf_out *info, const char *name, const uint32_t *members, size_t count)
{
    uint32_t offset = (uint32_t)info->size;
    put_u8(info, OBJECT);
    put_string(info, name);
    for (size_t i = 0; i < count; i++) {
        put_u8(info, MEMBER);
        put_u32(info, members[i]);
    }
    put_u8(info, 0);
    return offset;
}

/* With one member. */
static uint32_t put_object(struct hf_out *info, const char *name, uint32_t member)
{
    return put_object_of(info, name, &member, 1);
}

static void put_typedef(struct hf_out *info, const char *name, uint8_t line, uint32_t of)
{
    put_u8(info, TYPEDEF);
    put_string(info, name);
    put_u8(info, line);
    put_u32(info, of);
}

static void put_types(struct hf_out *info, uint32_t *types)
{
    types[A_POINTER] = (uint32_t)info->size;
    put_u8(info, POINTER);
    types[A_NUMBER] = (uint32_t)info->size;
    put_u8(info, NUMBER);
    uint32_t route = put_class(info, "Route");
    types[A_VIEW] = put_type(info, TO, put_type(info, CONST, route));
    types[A_ROUTE] = put_type(info, TO, route);
    types[A_TEXT] = put_object(info, "Text", types[A_POINTER]);
    types[A_POINT] = put_object(info, "Point", types[A_NUMBER]);
    uint32_t list = put_class(info, "List<int>");
    types[A_LIST] = put_type(info, TO, list);
    types[A_CONST_LIST] = put_type(info, TO, put_type(info, CONST, list));
    types[A_SESSION] = put_type(info, TO, put_class(info, "Session"));
    types[A_MAP] = put_type(info, TO, put_class(info, "Map<int>"));
    (void)put_class(info, "Map<long>");
    types[A_TABLE] = put_type(info, TO, put_object(info, "Table", types[A_ROUTE]));
    types[AN_ARRAY] = put_type(info, ARRAY, types[A_NUMBER]);
    types[A_CONST_ROUTE] = put_type(info, CONST, types[A_ROUTE]);
    types[A_RESTRICT_ROUTE] = put_type(info, RESTRICT, types[A_ROUTE]);
    types[AN_ATOMIC_ROUTE] = put_type(info, ATOMIC, types[A_ROUTE]);
    uint32_t numbers = put_type(info, TO, types[A_NUMBER]);
    types[A_BYTES] = numbers;
    types[SOME_CONST_BYTES] = put_type(info, TO, put_type(info, CONST, types[A_NUMBER]));
    types[BYTES_PLACE] = put_type(info, TO, numbers);
    const uint32_t wave[] = {numbers, types[A_NUMBER], types[A_NUMBER]};
    const uint32_t node[] = {numbers, types[A_NUMBER], types[A_ROUTE]};
    const uint32_t trace[] = {put_type(info, TO, numbers), types[A_NUMBER], types[A_NUMBER]};
    types[A_TRACE] = put_type(info, TO, put_object_of(info, "Trace", trace, HF_COUNT(trace)));
    types[A_WAVE] = put_type(info, TO, put_object_of(info, "Wave", wave, HF_COUNT(wave)));
    types[A_NODE] = put_type(info, TO, put_object_of(info, "Node", node, HF_COUNT(node)));
    const uint32_t parser[] = {types[A_VIEW], types[A_NUMBER]};
    types[A_PARSER] = put_type(info, TO, put_object_of(info, "Parser", parser, HF_COUNT(parser)));
    uint32_t part = put_object(info, "Part", types[A_ROUTE]);
    uint32_t only[] = {put_object(info, "Only", types[A_ROUTE]), 0};
    only[1] = only[0];
    (void)put_object(info, "Job", part);
    (void)put_object(info, "Printer", part);
    (void)put_object_of(info, "Owner", only, HF_COUNT(only));
    types[A_PART] = put_type(info, TO, part);
    types[A_PLACE] = put_type(info, TO, types[A_PARSER]);
    types[AN_ONLY_PART] = put_type(info, TO, only[0]);
    put_typedef(info, "answers", 9, types[A_NUMBER]);
}

/* A unit of version 5. */
static struct hf_out make_program(const struct called *program, size_t count)
{
    uint32_t offsets[FUNCTIONS_MAX] = {0}, types[KINDS] = {0};
    struct hf_out info = {0};
    for (int round = 0; round < 2; round++) {
        info.size = 0;
        put_u32(&info, 0);
        put_u16(&info, 5);
        put_u8(&info, DW_UT_compile);
        put_u8(&info, 8);
        put_u32(&info, 0);
        put_u8(&info, UNIT);
        put_types(&info, types);
        for (size_t i = 0; i < count; i++)
            put_function(&info, program, count, i, types, offsets);
        put_u8(&info, 0);
        uint32_t size = (uint32_t)info.size - 4;
        memcpy(info.data, &size, sizeof size);
    }
    return info;
}

static void check_program(const char *name, const struct called *program, size_t count)
{
    struct hf_error err;
    struct hf_out info = make_program(program, count);
    struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {(const char *)abbrevs, sizeof abbrevs}};
    struct hf_helpers helpers;
    check_ok(hf_helpers_find(&helpers, &sections, &err), &err);
    for (size_t i = 0; i < count; i++) {
        struct hf_text function = hf_text_of(program[i].name);
        if (hf_helpers_has(&helpers, function, HF_TEXT("")) != (program[i].is_helper != 0))
            fail_msg("%s: %s should be %s", name, program[i].name,
                program[i].is_helper != 0 ? "a helper" : "none");
        if (hf_helpers_may_keep(&helpers, function, HF_TEXT("")) !=
            (program[i].is_helper == KEEPER))
            fail_msg("%s: whether %s may keep it", name, program[i].name);
    }
    hf_helpers_done(&helpers);
    hf_out_done(&info);
}

#define CHECK(name, ...)                                                                           \
    do {                                                                                           \
        static const struct called program[] = {__VA_ARGS__};                                      \
        check_program(name, program, HF_COUNT(program));                                           \
    } while (0)

static void callers_in_two_parts_share_what_makes_things(void **state)
{
    (void)state;
    CHECK("two callers", {"make", A_POINTER, 0, {NULL}, true},
        {"left", NOTHING, 0, {"make"}, false}, {"right", NOTHING, 0, {"make"}, false});
    CHECK(
        "one caller", {"make", A_POINTER, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("no caller", {"make", A_POINTER, 0, {NULL}, false});
    CHECK("a number", {"count", A_NUMBER, 0, {NULL}, false}, {"left", NOTHING, 0, {"count"}, false},
        {"right", NOTHING, 0, {"count"}, false});
    CHECK("nothing", {"keep", NOTHING, 0, {NULL}, false}, {"left", NOTHING, 0, {"keep"}, false},
        {"right", NOTHING, 0, {"keep"}, false});
}

/* The caller of a cache only looks at what it holds. */
static void what_may_only_be_looked_at_is_kept(void **state)
{
    (void)state;
    CHECK("a view", {"route_to", A_VIEW, 0, {NULL}, false},
        {"left", NOTHING, 0, {"route_to"}, false}, {"right", NOTHING, 0, {"route_to"}, false});
}

/* Containers, and what fills one that it is given. */
static void what_a_generic_object_holds_is_its_users(void **state)
{
    (void)state;
    CHECK("a generic object", {"remember", A_LIST, 0, {NULL}, true},
        {"left", NOTHING, 0, {"remember"}, false}, {"right", NOTHING, 0, {"remember"}, false});
    CHECK("a const one", {"record", A_CONST_LIST, 0, {NULL}, false},
        {"left", NOTHING, 0, {"record"}, false}, {"right", NOTHING, 0, {"record"}, false});
    CHECK("an object of the program", {"record", A_SESSION, 0, {NULL}, false},
        {"left", NOTHING, 0, {"record"}, false}, {"right", NOTHING, 0, {"record"}, false});
    CHECK("one user", {"remember", A_LIST, 0, {NULL}, false},
        {"left", NOTHING, 0, {"remember"}, false});
}

/* Map<int> and Map<long>: whoever uses one, others use another. */
static void a_container_for_several_types_is_one(void **state)
{
    (void)state;
    CHECK("two instances", {"remember", A_MAP, 0, {NULL}, true},
        {"left", NOTHING, 0, {"remember"}, false});
}

/* Nothing but what it returns could lead to it. */
static void what_changes_nothing_makes_it_for_its_caller(void **state)
{
    (void)state;
    CHECK(
        "an object", {"render", A_TEXT, 0, {NULL}, true}, {"left", NOTHING, 0, {"render"}, false});
    CHECK("of what it looks at", {"render", A_TEXT | TAKES(A_VIEW), 0, {NULL}, true},
        {"left", NOTHING, 0, {"render"}, false});
    CHECK("of what it may change", {"render", A_TEXT | TAKES(A_SESSION), 0, {NULL}, false},
        {"left", NOTHING, 0, {"render"}, false});
    CHECK("of what a parser looks at", {"render", A_TEXT | TAKES(A_PARSER), 0, {NULL}, true},
        {"left", NOTHING, 0, {"render"}, false});
    CHECK("of a place for one", {"render", A_TEXT | TAKES(A_PLACE), 0, {NULL}, false},
        {"left", NOTHING, 0, {"render"}, false});
    CHECK("which returns nothing", {"skip", NOTHING | TAKES(A_PARSER), 0, {NULL}, false},
        {"left", NOTHING, 0, {"skip"}, false});
    CHECK("an object that leads nowhere", {"middle", A_POINT, 0, {NULL}, false},
        {"left", NOTHING, 0, {"middle"}, false});
}

/* In C, bytes are whose who asked for them. */
static void bytes_are_their_callers(void **state)
{
    (void)state;
    CHECK("of what it looks at", {"encode", A_BYTES | TAKES(A_VIEW), 0, {NULL}, true},
        {"left", NOTHING, 0, {"encode"}, false});
    CHECK("though a variable has some", {"last", LASTS | TAKES(A_BYTES), 0, {NULL}, false},
        {"encode", A_BYTES | TAKES(A_VIEW), 0, {NULL}, true},
        {"left", NOTHING, 0, {"encode"}, false});
    CHECK("of what it may change", {"read", A_BYTES | TAKES(A_SESSION), 0, {NULL}, false},
        {"left", NOTHING, 0, {"read"}, false});
    CHECK("and nobody's", {"title", SOME_CONST_BYTES | TAKES(A_VIEW), 0, {NULL}, false},
        {"left", NOTHING, 0, {"title"}, false});
    CHECK("put into a place", {"read", A_BYTES | TAKES(BYTES_PLACE), 0, {NULL}, false},
        {"left", NOTHING, 0, {"read"}, false});
    CHECK("of any type, with their size", {"unpack", A_POINTER | TAKES(A_BYTES), 0, {NULL}, true},
        {"left", NOTHING, 0, {"unpack"}, false});
    CHECK("without one", {"open", A_POINTER | TAKES(A_VIEW), 0, {NULL}, false},
        {"left", NOTHING, 0, {"open"}, false});
}

/* A pointer could stay in a variable, if one can lead to such a thing. */
static void what_no_variable_could_keep_is_its_callers(void **state)
{
    (void)state;
    CHECK("none", {"make", A_ROUTE, 0, {NULL}, true}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("of what it looks at", {"make", A_ROUTE | TAKES(A_VIEW), 0, {NULL}, true},
        {"left", NOTHING, 0, {"make"}, false});
    CHECK("of what it may change", {"make", A_ROUTE | TAKES(A_SESSION), 0, {NULL}, false},
        {"left", NOTHING, 0, {"make"}, false});
    CHECK("one", {"last", LASTS | TAKES(A_ROUTE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one behind a pointer", {"table", LASTS | TAKES(A_TABLE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one that leads to anything", {"any", LASTS | TAKES(A_TEXT), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one that is const", {"first", LASTS | TAKES(A_CONST_ROUTE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, true}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one that is restrict", {"only", LASTS | TAKES(A_RESTRICT_ROUTE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one that is atomic", {"next", LASTS | TAKES(AN_ATOMIC_ROUTE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one of another type", {"other", LASTS | TAKES(A_SESSION), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, true}, {"left", NOTHING, 0, {"make"}, false});
    CHECK("one on the stack", {"local", ON_STACK | TAKES(A_ROUTE), 0, {NULL}, false},
        {"make", A_ROUTE, 0, {NULL}, true}, {"left", NOTHING, 0, {"make"}, false});
}

static void a_growing_array_of_numbers_is_its_users(void **state)
{
    (void)state;
    CHECK("numbers", {"put", NOTHING | TAKES(A_WAVE), 0, {NULL}, true},
        {"left", NOTHING, 0, {"put"}, false});
    CHECK("rows of them", {"put", NOTHING | TAKES(A_TRACE), 0, {NULL}, false},
        {"left", NOTHING, 0, {"put"}, false});
    CHECK("and more", {"put", NOTHING | TAKES(A_NODE), 0, {NULL}, false},
        {"left", NOTHING, 0, {"put"}, false});
}

static void what_several_have_in_them_is_theirs(void **state)
{
    (void)state;
    CHECK("two", {"put", NOTHING | TAKES(A_PART), 0, {NULL}, true},
        {"left", NOTHING, 0, {"put"}, false});
    CHECK("whom nobody calls", {"on_put", NOTHING | TAKES(A_PART), 0, {NULL}, false});
    CHECK("one, twice", {"put", NOTHING | TAKES(AN_ONLY_PART), 0, {NULL}, false},
        {"left", NOTHING, 0, {"put"}, false});
    CHECK("nobody", {"put", NOTHING | TAKES(A_TABLE), 0, {NULL}, false},
        {"left", NOTHING, 0, {"put"}, false});
}

static void what_is_in_an_object_that_it_changes_may_stay(void **state)
{
    (void)state;
    CHECK("it has such", {"add", A_ROUTE | TAKES(A_TABLE), 0, {NULL}, KEEPER},
        {"left", NOTHING, 0, {"add"}, false}, {"right", NOTHING, 0, {"add"}, false});
    CHECK("it has none", {"add", A_ROUTE | TAKES(A_SESSION), 0, {NULL}, true},
        {"left", NOTHING, 0, {"add"}, false}, {"right", NOTHING, 0, {"add"}, false});
}

static void an_array_of_fortran_is_its_callers(void **state)
{
    (void)state;
    CHECK("two callers", {"cut_out", AN_ARRAY, 0, {NULL}, true},
        {"look", NOTHING, 0, {"cut_out"}, false}, {"draw", NOTHING, 0, {"cut_out"}, false});
}

static void callers_of_one_part_do_not(void **state)
{
    (void)state;
    CHECK("main", {"make", A_POINTER, 0, {NULL}, false}, {"left", NOTHING, 0, {"make"}, false},
        {"main", A_NUMBER, 0, {"make", "left"}, false});
    CHECK("called by the other only", {"make", A_POINTER, 0, {NULL}, false},
        {"inner", NOTHING, 0, {"make"}, false}, {"outer", NOTHING, 0, {"inner", "make"}, false});
    CHECK("called by the other, too", {"make", A_POINTER, 0, {NULL}, true},
        {"inner", NOTHING, 0, {"make"}, false}, {"outer", NOTHING, 0, {"inner", "make"}, false},
        {"third", NOTHING, 0, {"inner"}, false});
    CHECK("itself", {"sum", A_POINTER, 0, {"atom", "sum"}, false},
        {"atom", A_POINTER, 0, {"sum"}, false}, {"parse", NOTHING, 0, {"sum"}, false});
}

static void a_component_is_known_by_the_first_word(void **state)
{
    (void)state;
    CHECK("its own functions only", {"json_node", A_POINTER, 0, {NULL}, false},
        {"json_a", NOTHING, 0, {"json_node"}, false}, {"json_b", NOTHING, 0, {"json_node"}, false});
    CHECK("below a helper of its own", {"json_node", A_POINTER, 0, {NULL}, true},
        {"json_value", A_POINTER, 0, {"json_node", "json_value"}, true},
        {"json_parse", A_POINTER, 0, {"json_value"}, true},
        {"config_load", NOTHING, 0, {"json_parse"}, false},
        {"handle_line", NOTHING, 0, {"json_parse"}, false});
    CHECK("of one letter", {"f_make", A_POINTER, 0, {NULL}, true},
        {"f_left", NOTHING, 0, {"f_make"}, false}, {"f_right", NOTHING, 0, {"f_make"}, false});
    CHECK("only helpers call it", {"text", A_POINTER, 0, {NULL}, true},
        {"make", A_POINTER, 0, {"text"}, true}, {"left", NOTHING, 0, {"make"}, false},
        {"right", NOTHING, 0, {"make"}, false});
}

static void functions_on_one_line_are_of_a_macro(void **state)
{
    (void)state;
    CHECK("two", {"map_put", NOTHING, 7, {NULL}, true}, {"map_get", NOTHING, 7, {NULL}, true},
        {"alone", NOTHING, 8, {NULL}, false});
    CHECK("a type and a function", {"answers_push", NOTHING, 9, {NULL}, true});
}

static void many_callers_are_enough(void **state)
{
    (void)state;
    struct called program[FUNCTIONS_MAX] = {{"make", A_POINTER, 0, {NULL}, true}};
    static char names[FUNCTIONS_MAX][8];
    for (size_t i = 1; i < FUNCTIONS_MAX; i++) {
        (void)snprintf(names[i], sizeof names[i], "f%zu", i);
        program[i] = (struct called){.name = names[i], .calls = {"make"}};
    }
    check_program("many", program, FUNCTIONS_MAX);
}

/* Of damaged or too much debug information nothing is known, and a limit is told to who asks. */
static void what_cannot_be_read_has_no_helpers(void **state)
{
    (void)state;
    struct hf_error err;
    static const struct called program[] = {{"make", A_POINTER, 0, {NULL}, true},
        {"left", NOTHING, 0, {"make"}, false}, {"right", NOTHING, 0, {"make"}, false}};
    struct hf_out info = make_program(program, HF_COUNT(program));
    struct hf_dwarf_sections sections = {.name = "file", .info = hf_out_view(&info)};
    struct hf_helpers helpers;
    struct hf_call_graph graph;
    check_ok(hf_helpers_find(&helpers, &sections, &err), &err);
    assert_false(hf_helpers_has(&helpers, HF_TEXT("make"), HF_TEXT("")));
    hf_helpers_done(&helpers);
    sections.abbrev = (struct hf_text){(const char *)abbrevs, sizeof abbrevs};
    for (size_t size = 0; size < info.size; size++) {
        sections.info = (struct hf_text){info.data, size};
        check_ok(hf_helpers_find(&helpers, &sections, &err), &err);
        hf_helpers_done(&helpers);
    }
    char *large = calloc(1, HF_LIMIT_CALL_GRAPH_BYTES + 1);
    assert_non_null(large);
    sections.info = (struct hf_text){large, HF_LIMIT_CALL_GRAPH_BYTES + 1};
    assert_int_equal(hf_call_graph_read(&graph, &sections, &err), HF_ERR_LIMIT);
    check_error(
        &err, "the debug information is larger than 67108864 bytes (HF_LIMIT_CALL_GRAPH_BYTES)");
    hf_call_graph_done(&graph);
    free(large);
    hf_out_done(&info);
}

/* 40,000 units of 12 bytes, each with an abbreviation table of 200 KB: 8 GB to read. */
static void units_that_share_a_long_table_end_the_search(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out info = {0}, abbrev = {0};
    for (int i = 0; i < 40000; i++) {
        put_u32(&info, 2 + 4 + 1 + 1);
        put_u16(&info, 4);
        put_u32(&info, 0);
        put_u8(&info, 8);
        put_u8(&info, UNIT);
        put_u8(&abbrev, UNIT); /* declared again and again */
        put_u8(&abbrev, DW_TAG_compile_unit);
        put_u8(&abbrev, 0);
        put_u16(&abbrev, 0);
    }
    put_u8(&abbrev, 0);
    struct hf_dwarf_sections sections = {
        .name = "file", .info = hf_out_view(&info), .abbrev = hf_out_view(&abbrev)};
    struct hf_helpers helpers;
    clock_t start = clock();
    check_ok(hf_helpers_find(&helpers, &sections, &err), &err);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    assert_false(hf_helpers_has(&helpers, HF_TEXT("make"), HF_TEXT("")));
    hf_helpers_done(&helpers);
    hf_out_done(&info);
    hf_out_done(&abbrev);
}

#if HF_SANITIZED

SKIPPED_FOR_SANITIZER(each_failure_is_told)

#else

static void each_failure_is_told(void **state)
{
    (void)state;
    static const struct called program[] = {{"make", A_POINTER, 0, {NULL}, true},
        {"left", NOTHING, 0, {"make"}, false}, {"right", NOTHING, 0, {"make"}, false}};
    struct hf_out info = make_program(program, HF_COUNT(program));
    struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {(const char *)abbrevs, sizeof abbrevs}};
    for (size_t n = 0;; n++) {
        struct hf_error err = {0};
        struct hf_helpers helpers;
        failing_begin(n);
        enum hf_status status = hf_helpers_find(&helpers, &sections, &err);
        bool has = hf_helpers_has(&helpers, HF_TEXT("make"), HF_TEXT(""));
        hf_helpers_done(&helpers);
        is_counting = false;
        if (live != 0)
            fail_msg("failing allocation %zu leaks %ld blocks", n, live);
        assert_int_equal(status, has_failed ? HF_ERR_MEMORY : HF_OK);
        assert_true(has_failed || has);
        if (!has_failed)
            break;
    }
    hf_out_done(&info);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_in_two_parts_share_what_makes_things),
        cmocka_unit_test(what_may_only_be_looked_at_is_kept),
        cmocka_unit_test(what_a_generic_object_holds_is_its_users),
        cmocka_unit_test(a_container_for_several_types_is_one),
        cmocka_unit_test(what_changes_nothing_makes_it_for_its_caller),
        cmocka_unit_test(bytes_are_their_callers),
        cmocka_unit_test(what_no_variable_could_keep_is_its_callers),
        cmocka_unit_test(a_growing_array_of_numbers_is_its_users),
        cmocka_unit_test(what_several_have_in_them_is_theirs),
        cmocka_unit_test(what_is_in_an_object_that_it_changes_may_stay),
        cmocka_unit_test(an_array_of_fortran_is_its_callers),
        cmocka_unit_test(callers_of_one_part_do_not),
        cmocka_unit_test(a_component_is_known_by_the_first_word),
        cmocka_unit_test(functions_on_one_line_are_of_a_macro),
        cmocka_unit_test(many_callers_are_enough),
        cmocka_unit_test(what_cannot_be_read_has_no_helpers),
        cmocka_unit_test(units_that_share_a_long_table_end_the_search),
        cmocka_unit_test(each_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
