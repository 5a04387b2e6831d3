/* The readers of what tracers write: heaptrack, perf script, memleak, bpftrace. */
#include "reading.h"

#define HEAPTRACK                                                                                  \
    "v 10400 3\nX ./a\ns 1 m\ns 3 a.c\ns 4 main\ns 5 serve\ns 3 cut\n"                             \
    "i 401020 1 3 2 c\ni 401120 1 5 2 1f 4 2 2a\nt 1 0\nt 2 1\na 64 2\na 1000 1\n"
#define HEAPTRACK_END "# strings: 5\n# ips: 2\n"

#define MAIN "main a.c:12"
#define CUT MAIN ";serve a.c:42;cut a.c:31"

enum { PEAK_OBJECTS = HF_ALLOC_SPACE + 1, PEAK_SPACE, TEMPORARY_OBJECTS };

static const struct {
    const char *name, *text;
    size_t type;
    const char *expected, *notes;
} heaptracks[] = {
    {"live", "+ 0\n+ 1\n+ 0\n- 1\n", HF_INUSE_SPACE, CUT " 200\n", ""},
    {"live blocks", "+ 0\n+ 1\n+ 0\n- 1\n", HF_INUSE_OBJECTS, CUT " 2\n", ""},
    {"all", "+ 0\n+ 1\n- 1\n+ 0\n+ 1\n", HF_ALLOC_SPACE, MAIN " 8192\n" CUT " 200\n", ""},
    {"calls", "+ 0\n+ 1\n- 1\n+ 0\n+ 1\n", HF_ALLOC_OBJECTS, MAIN " 2\n" CUT " 2\n", ""},
    {"the first of two equal peaks", "+ 1\n+ 0\n- 1\n- 0\n+ 0\n+ 1\n- 0\n", PEAK_SPACE,
        MAIN " 4096\n" CUT " 100\n", ""},
    {"the later, higher peak", "+ 1\n+ 0\n- 1\n+ 0\n+ 1\n- 0\n- 1\n", PEAK_OBJECTS,
        MAIN " 1\n" CUT " 2\n", ""},
    {"a kind untouched since the peak", "+ 0\n+ 0\n+ 1\n- 1\n", PEAK_SPACE,
        MAIN " 4096\n" CUT " 200\n", ""},
    {"temporary", "+ 0\n- 0\n+ 0\n+ 1\n- 0\n- 1\n+ 1\nc 5\nR 7\n- 1\n", TEMPORARY_OBJECTS,
        MAIN " 1\n" CUT " 1\n", ""},
    {"free after free is not temporary", "+ 0\n+ 1\n- 1\n- 0\n", TEMPORARY_OBJECTS, MAIN " 1\n",
        ""},
    {"a block without a stack", "a 7 0\n+ 2\n", HF_INUSE_SPACE, "[no stack] 7\n", ""},
    {"attached", "A\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "in: heaptrack was attached to a running process: earlier allocations are not in it\n"},
    {"suppressions", "S leak:x\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "in: has suppressions, which heaptrack_print applies and heapflame does not\n"},
    {"a function without its source", "s 3 bar\ni 5 1 6\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE,
        "bar 8\n",
        "LOSS in: announces 5 strings and 2 places, but has 6 and 3: lines are missing\n"},
    {"a free too many", "+ 0\n- 0\n- 0\n", HF_ALLOC_SPACE, CUT " 100\n",
        "LOSS in: line 16: expected a free of a block in use, found '- 0'; skipped\n"},
    {"a kind that is not there", "+ 2\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected an allocation '+ number' or a free '- number' of blocks "
        "that came before, found '+ 2'; skipped\n"},
    {"a damaged kind", "a x 1\n+ 2\n- 2\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected blocks 'a size stack', found 'a x 1'; skipped\n"
        "LOSS in: 2 allocations and frees belong to damaged lines and are left out\n"},
    {"a damaged stack", "t 1 9\nt 1 3\na 10 4\n+ 2\n", HF_INUSE_SPACE, MAIN " 16\n",
        "LOSS in: line 14: expected a stack 't place parent', found 't 1 9'; skipped\n"},
    {"a string of another size", "s 4 bar\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected a string 's size bytes', found 's 4 bar'; skipped\n"
        "LOSS in: announces 5 strings and 2 places, but has 6 and 2: lines are missing\n"},
    {"a strange line", "what\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected a line of heaptrack, found 'what'; skipped\n"},
    {"an event that is skipped is no free", "+ 0\n+ 9\n- 0\n", TEMPORARY_OBJECTS, "",
        "LOSS in: line 15: expected an allocation '+ number' or a free '- number' of blocks "
        "that came before, found '+ 9'; skipped\n"},
    {"a free of another kind is not temporary", "+ 0\n+ 1\n- 0\n", TEMPORARY_OBJECTS, "", ""},
    {"a place that is not there", "t 3 0\na 10 3\n+ 2\n", HF_INUSE_SPACE, "[no stack] 16\n",
        "LOSS in: line 14: expected a stack 't place parent', found 't 3 0'; skipped\n"},
    {"a stack of three numbers", "t 1 0 1\na 10 3\n+ 2\n", HF_INUSE_SPACE, "[no stack] 16\n",
        "LOSS in: line 14: expected a stack 't place parent', found 't 1 0 1'; skipped\n"},
    {"a kind of three numbers", "a 10 1 1\n+ 2\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected blocks 'a size stack', found 'a 10 1 1'; skipped\n"
        "LOSS in: 1 allocation or free belongs to a damaged line and is left out\n"},
    {"a kind of a stack that is not there", "a 10 3\n+ 0\n", HF_INUSE_SPACE, CUT " 100\n",
        "LOSS in: line 14: expected blocks 'a size stack', found 'a 10 3'; skipped\n"},
    {"a module that is not there", "i 1 6\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE, "[no stack] 8\n",
        "LOSS in: line 14: expected a place 'i address module function source line', found "
        "'i 1 6'; skipped\n"
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"},
    {"a function that is not there", "i 1 1 6 2 1\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE,
        "[no stack] 8\n",
        "LOSS in: line 14: expected a place 'i address module function source line', found "
        "'i 1 1 6 2 1'; skipped\n"
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"},
    {"a second function that is damaged", "i 1 1 4 2 1 5 6 1\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE,
        "[no stack] 8\n",
        "LOSS in: line 14: expected a place 'i address module function source line', found "
        "'i 1 1 4 2 1 5 6 1'; skipped\n"
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"},
    {"a place without a function", "i 1 1\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE, "[m] 8\n",
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"
        "in: heaptrack found no name for 1 of 3 places; it is shown as its library\n"},
    {"the largest line", "i 1 1 4 2 ffffffff\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE,
        "serve a.c:4294967295 8\n",
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"},
    {"a line too large", "i 1 1 4 2 100000000\nt 3 0\na 8 3\n+ 2\n", HF_INUSE_SPACE,
        "serve a.c 8\n",
        "LOSS in: announces 5 strings and 2 places, but has 5 and 3: lines are missing\n"},
    {"sums beyond 2^64", "a ffffffffffffffff 1\n+ 2\n+ 2\n", HF_INUSE_SPACE,
        MAIN " 18446744073709551615\n", "LOSS in: sums above 2^64-1 are taken as 2^64-1\n"},
};

static void reads_heaptrack(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(heaptracks); i++) {
        struct hf_out text = {0};
        check_case = heaptracks[i].name;
        hf_out_printf(&text, "%s%s%s", HEAPTRACK, heaptracks[i].text, HEAPTRACK_END);
        hf_out_char(&text, '\0');
        struct hf_profile *profile = read_text(text.data);
        check_type(profile, heaptracks[i].type, heaptracks[i].expected);
        check_notes(profile, heaptracks[i].notes);
        hf_profile_free(profile);
        hf_out_done(&text);
    }
}

/* A head of the default fields, and a frame; perf's columns. */
#define HEAD "srv 12/13 [001]  2476.336650:     250000 cpu-clock:u: \n"
#define FRAME(address, place) "\t" address " " place "\n"
#define AT "            1297"

static void reads_perf_script(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"a stack", HEAD FRAME(AT, "f+0x27 (/a)") FRAME(AT, "main+0x1 (/a)") "\n",
            "srv;main;f 250000\n", ""},
        {"no end of the last stack but the next head", HEAD FRAME(AT, "f (/a)") HEAD "\n",
            "srv 250000\nsrv;f 250000\n", ""},
        {"a command with numbers", "v8 12 3 14 1.5: cycles: \n" FRAME(AT, "f (/a)") "\n",
            "v8 12 3;f 1\n", ""},
        {"no cpu, no time, no pid", "a b cycles: \n" FRAME(AT, "f") "\n", "a b;f 1\n", ""},
        {"no event", "a b  12\n" FRAME(AT, "f (/a)") "\n", "a b;f 1\n", ""},
        {"no period", "srv 12 1.5: probe_libc:malloc: (7f00) size=16\n" FRAME(AT, "f (/a)") "\n",
            "srv;f 1\n", ""},
        {"without call chains",
            "srv 12 1.5: 7 cycles:  ffffffff8175336a f+0x2 ([kernel.kallsyms])\n"
            "srv 12 1.6: 8 cycles:      7f4de9515645 g(int) const+0x2 (/lib/my lib.so)\n",
            "srv;f 7\nsrv;g(int) const 8\n", ""},
        {"without call chains and event", "a 12 1.5:             1297 f (/a)\n", "a;f 1\n", ""},
        {"no offset is in a file of an older perf",
            HEAD FRAME("          401297", "[unknown] (/srv)")
                FRAME("    7f4de9515645", "main (/lib/c.so)") FRAME(AT, "[unknown] (/srv)") "\n",
            "srv;[srv];main;[srv] 250000\n", ""},
        {"nor without call chains", "a 12 1.5: 7 cycles:           401297 [unknown] (/srv)\n",
            "a;[srv] 7\n", ""},
        {"code made at run time",
            HEAD FRAME("    7f4de9515645", "LFoo;::bar (/tmp/perf-12.map)")
                FRAME(AT, "[unknown] (//anon)") "\n",
            "srv;[anon];LFoo:::bar 250000\n", ""},
        {"names without an address", "a 12 1.5: 7 cycles: \n\tadd (/a)\n\tmain (/a)\n\n",
            "a;main;add 7\n", ""},
        {"inlined", HEAD FRAME(AT, "f+0x2 (inlined)") FRAME(AT, "main+0x1 (/a)") "\n",
            "srv;main;f 250000\n", ""},
        {"sources",
            HEAD FRAME(AT, "f+0x2") "  a.c:7 (inlined)\n" FRAME(
                AT, "main (/a)") "  /src/a b.c:9\n" FRAME(AT, "start (/a)") "  a[1297]\n\n",
            "srv;start;main /src/a b.c:9;f a.c:7 250000\n", ""},
        {"operators and templates",
            HEAD FRAME(AT, "std::function<void (int)>::operator()(int) const+0x2 (/a)") "\n",
            "srv;std::function<void (int)>::operator()(int) const 250000\n", ""},
        {"unknown functions",
            HEAD FRAME("ffffffff8175336a", "[unknown] ([kernel.kallsyms])")
                FRAME("    7f4de9515645", "[unknown] (/lib/old perf.so)")
                    FRAME("    7f4de9515645", "[unknown] ([unknown])") "\n",
            "srv;[unknown];[old perf.so];[kernel.kallsyms] 250000\n", ""},
        {"two events", HEAD FRAME(AT, "f (/a)") "\nsrv 12 1.5: 9 page-faults: \n\n",
            "srv;f 250000\n",
            "in: has several events; the first is shown unless --value names another: "
            "cpu-clock:u, page-faults\n"},
        {"mappings", "a 12 1.5: PERF_RECORD_MMAP2 12/12: [0x0(0x1)] r-xp /a\n" HEAD "\n",
            "srv 250000\n", ""},
        {"ends inside a stack", HEAD FRAME(AT, "f (/a)") "\n" HEAD FRAME(AT, "g (/a)"),
            "srv;f 250000\n", "LOSS in: ends inside a stack, which is skipped: the file is cut\n"},
        {"a strange line", HEAD "what\n" FRAME(AT, "f (/a)") "\n", "srv;f 250000\n",
            "LOSS in: skipped 1 line that is neither a sample nor a frame of perf (line "
            "2)\n"},
        {"sums beyond 2^64", "a 1 1.5: 18446744073709551615 c: \n\t f\n\na 1 1.5: 1 c: \n\t f\n\n",
            "a;f 18446744073709551615\n", "LOSS in: sums above 2^64-1 are taken as 2^64-1\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

/* The leaf and what was interrupted are at an instruction, callers behind a call. */
static void places_what_perf_could_not_name(void **state)
{
    (void)state;
    check_case = "places";
    struct hf_profile *profile = read_text(HEAD FRAME(AT, "[unknown] (/leaf)") FRAME(
        AT, "[unknown] (/caller+0x1234)") FRAME("ffffffff8175336a", "f ([kernel.kallsyms])")
            FRAME(AT, "[unknown] (/user)") FRAME(AT, "[unknown] (/main (deleted))") "\n");
    static const struct {
        const char *path;
        uint64_t offset;
    } expected[] = {
        {"/leaf", 0x1297}, {"/caller", 0x1233}, {"", 0}, {"/user", 0x1297}, {"/main", 0x1296}};
    uint32_t node = profile->samples[0].node;
    for (size_t i = 0; i < HF_COUNT(expected); i++) {
        const struct hf_frame *frame =
            hf_profile_frame_at(profile, profile->stacks.nodes[node].frame);
        if (expected[i].offset != 0) {
            check_text(
                hf_profile_text(profile, profile->modules[frame->module].path), expected[i].path);
            assert_int_equal(frame->offset, expected[i].offset);
            assert_int_equal(frame->flags, HF_FRAME_HAS_OFFSET | HF_FRAME_IS_MODULE);
        }
        node = profile->stacks.nodes[node].parent;
    }
    assert_true(profile->has_addresses);
    hf_profile_free(profile);
}

/* Beyond HF_VALUE_TYPES_MAX, events have no value type. */
static void limits_the_events(void **state)
{
    (void)state;
    check_case = "14 events";
    struct hf_out text = {0};
    for (unsigned i = 0; i < 14; i++)
        hf_out_printf(&text, "a 1 1.5: 7 event-%u: \n\t f\n\n", i);
    hf_out_char(&text, '\0');
    check_folded(text.data, "a;f 7\n",
        "LOSS in: has more than 12 events; 2 values of the others are left out\n"
        "in: has several events; the first is shown unless --value names another: event-0, "
        "event-1, event-2, event-3, event-4, event-5, event-6, event-7, event-8, event-9, "
        "event-10, event-11\n");
    hf_out_done(&text);
}

#define TOP(n) "[11:16:33] Top " n " stacks with outstanding allocations:\n"

static void reads_memleak(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"bcc",
            "Attaching to pid 7, Ctrl+C to quit.\n" TOP(
                "3") "\t80 bytes in 5 allocations from "
                     "stack\n\t\tmain+0x6d [a]\n\t\tstart+0xf0 [libc-2.21.so]\n\n",
            "start;main 80\n", ""},
        {"blanks for tabs",
            TOP("3") "        80 bytes in 5 allocations from stack\n"
                     "                 f [kernel]\n                 g [kernel]\n",
            "g;f 80\n", ""},
        {"the last report",
            TOP("3") "\t80 bytes in 5 allocations from stack\n\t\tmain\n" TOP(
                "3") "\t9 bytes in 1 allocations from stack\n\t\tf\n",
            "f 9\n", "in: has 2 reports of memleak; the last one is read\n"},
        {"as many as it lists", TOP("1") "\t80 bytes in 5 allocations from stack\n\t\tmain\n",
            "main 80\n", "in: memleak listed only the 1 largest stack (its option -T)\n"},
        {"no heading", "\t80 bytes in 5 allocations from stack\n\t\tmain\n", "main 80\n", ""},
        {"C++ names",
            TOP("3") "8 bytes in 1 allocations from stack\n"
                     "\t0 [<0000000000401234>] A::operator[](int)+0x1d [/bin/a b]\n"
                     "\t1 [<0000000000401235>] void f<int>(A*)+0x2 /src/a b.cc:7\n",
            "void f<int>(A*) /src/a b.cc:7;A::operator[](int) 8\n", ""},
        {"unknown",
            TOP("3") "\t8 bytes in 1 allocations from stack\n\t\t[unknown] [libx.so]\n"
                     "\t\t0x00007f2a3c066666\t[unknown]\n\t\t[unknown]\n",
            "[unknown];0x7f2a3c066665;[libx.so] 8\n", ""},
        {"no frames",
            TOP("3") "\t8 bytes in 1 allocations from stack\n\t\tstack information lost"
                     "\n\n",
            "[no stack] 8\n", ""},
        {"a damaged leak",
            TOP("3") "\t8 bytes in 1 allocations from stack\n\t\tf\n\t9 bytes in x\n\t\tg\n",
            "g;f 8\n", "LOSS in: skipped 1 line that is not memleak output (line 4)\n"},
        {"a damaged heading",
            TOP("3") "\t8 bytes in 1 allocations from stack\n\t\tf\n[11:16:34] Tip\n", "f 8\n",
            "LOSS in: skipped 1 line that is not memleak output (line 4)\n"},
        {"cut", TOP("3") "\t8 bytes in 1 allocations from stack\n", "[no stack] 8\n",
            "LOSS in: ends before the frames of its last stack: the file is cut\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

#define JSON(data) "{\"type\": \"map\", \"data\": {" data "}}\n"

static void reads_bpftrace(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"a map", "Attaching 2 probes...\n\n@bytes[\n    f+26\n    main+5\n]: 4096\n\n",
            "main;f 4096\n", ""},
        {"older, not indented", "@[\nf+26\nmain+5\n]: 3\n", "main;f 3\n", ""},
        {"words in the key", "@[srv, \n    f+26\n, 812]: 3\n", "srv, 812;f 3\n", ""},
        {"two stacks", "@[\n    sys_brk+5\n, \n    brk+26\n    main+5\n]: 3\n",
            "main;brk;sys_brk 3\n", ""},
        {"C++ names", "@[\n    A::operator+(int)+26\n    f<a, b>+5\n]: 3\n",
            "f<a, b>;A::operator+(int) 3\n", ""},
        {"mode perf",
            "@[\n\t7f12a0 f+26 (/lib/a b.so)\n\t7f12b0 [unknown] (/lib/c.so)\n"
            "\t7f12c0 0x7f12c0 ([unknown])\n]: 3\n",
            "0x7f12bf;[c.so];f 3\n", ""},
        {"no symbols", "@[\n    0x7f12a0\n    0x7f12b0\n]: 3\n", "0x7f12af;0x7f12a0 3\n", ""},
        {"an empty stack", "@a[\n]: 3\n@a[\n    f+1\n]: 4\n", "[no stack] 3\nf 4\n", ""},
        {"stats", "@[\n    f+26\n]: count 3, average 16, total 48\n", "f 48\n", ""},
        {"printed again", "@a[\n    f+26\n]: 3\n\n@a[\n    f+26\n]: 5\n@a[\n    g+1\n]: 1\n\n",
            "f 5\ng 1\n",
            "in: prints some maps again, 1 time in all; only the last print of each map is "
            "read\n"},
        {"two maps", "@a[\n    f+26\n]: 3\n\n@b[\n    f+26\n]: 5\n\n", "f 3\n",
            "in: has several maps; the first is shown unless --value names another: a, b\n"},
        {"entries without a stack", "@a[\n    f+26\n]: 3\n@a[812]: 4\n@b: 5\n", "f 3\n",
            "in: 1 map entry has no stack in its key and is not read\n"},
        {"a histogram", "@a[\n    f+26\n]: 3\n@h[\n    f+26\n]: \n[1]   2 |@@|\n\n", "f 3\n",
            "LOSS in: skipped 1 map entry that is cut or has no number (line 6)\n"},
        {"an entry without its end", "@a[\n    f+26\n@a[\n    g+1\n]: 4\n", "g 4\n",
            "LOSS in: skipped 1 map entry that is cut or has no number (line 3)\n"},
        {"ends inside a key", "@a[\n    f+26\n]: 3\n@a[\n    g+1\n", "f 3\n",
            "LOSS in: is cut inside the key of a map; that entry is skipped\n"},
        {"JSON", JSON("\"@a\": {\"\\n    f+26\\n    main+5\\n\": 3, \"\\n    g\\n,812\": 4}"),
            "812;g 4\nmain;f 3\n", ""},
        {"JSON: escapes", JSON("\"@a\": {\"\\n    f\\\"\\\\x+26\\n\": 3}"), "f\"\\x 3\n", ""},
        {"JSON: stats",
            JSON("\"@a\": {\"\\n    f\\n\": {\"count\": 3, \"average\": 16, \"total\": 48}}"),
            "f 48\n", ""},
        {"JSON: a map that is cut",
            JSON("\"@a\": {\"\\n    f\\n\": 3}") "{\"type\": \"map\", \"data\": {\"@b\": {\"\\n    "
                                                 "g\n",
            "f 3\n", "LOSS in: skipped 1 map entry that is cut or has no number (line 2)\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

static void chooses_what_is_there(void **state)
{
    (void)state;
    check_case = "something leaked";
    struct hf_profile *profile = read_text(HEAPTRACK "+ 0\n" HEAPTRACK_END);
    assert_int_equal(profile->default_type, HF_INUSE_SPACE);
    hf_profile_free(profile);
    check_case = "nothing leaked";
    profile = read_text(HEAPTRACK "+ 0\n- 0\n" HEAPTRACK_END);
    assert_int_equal(profile->default_type, PEAK_SPACE);
    hf_profile_free(profile);
}

/* A chain of 't' lines is as deep as the file is long; what is shown of it is not. */
static void limits_the_depth(void **state)
{
    (void)state;
    check_case = "5,000 frames";
    struct hf_out text = {0};
    hf_out_string(&text, "v 10400 3\nX a\ns 1 m\ns 1 f\ni 1 1 2\n");
    for (unsigned i = 0; i < 5000; i++)
        hf_out_printf(&text, "t 1 %x\n", i);
    hf_out_string(&text, "a 1 1388\n+ 0\n# strings: 2\n# ips: 1\n");
    hf_out_char(&text, '\0');
    struct hf_profile *profile = read_text(text.data);
    assert_int_equal(hf_stacktree_depth(&profile->stacks, profile->samples[0].node), 4096);
    check_notes(profile, "LOSS in: a stack has more than 4096 frames (HF_LIMIT_TRACE_FRAMES); its "
                         "leaf is cut\n");
    hf_profile_free(profile);
    hf_out_done(&text);
}

static void refuses(void **state)
{
    static const struct {
        const char *name, *text, *error;
    } rows[] = {
        {"heaptrack --raw", "v 10400 3\nx 2 /a\nX a\nm 1 -\n",
            "in: line 2: is raw data of heaptrack, which has no names yet: interpret it first, "
            "with 'zstdcat FILE | /usr/lib/heaptrack/libexec/heaptrack_interpret'"},
        {"a later format", "v 20000 4\nX a\n",
            "in: line 1: expected 'v' and the versions of heaptrack (1.0 or later) and of its "
            "format, 1 to 3, found 'v 20000 4'"},
        {"heaptrack 0.9", "v 900\nX a\n",
            "in: line 1: expected 'v' and the versions of heaptrack (1.0 or later) and of its "
            "format, 1 to 3, found 'v 900'"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_refused(hf_text_of(rows[i].text), HF_ERR_INPUT, rows[i].error);
    }
}

static struct hf_text read_fixture(const char *name)
{
    struct hf_out path = {0};
    hf_out_printf(&path, "%s/tests/fixtures/%s", getenv("HEAPFLAME_SRC"), name);
    hf_out_char(&path, '\0');
    FILE *file = fopen(path.data, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 16);
    assert_non_null(bytes);
    size_t size = fread(bytes, 1, 1 << 16, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    hf_out_done(&path);
    return (struct hf_text){bytes, size};
}

/*
 * Every prefix is an error, has a loss note, or ends where the file could. Every flipped bit is
 * read or refused.
 */
static void survives_damage(void **state)
{
    static const struct {
        const char *fixture;
        size_t complete; /* prefixes without a loss, the whole file among them */
    } rows[] = {
        {"service.heaptrack", 9}, /* "v 1" to "v 10400 3\n" may be folded stacks */
        {"cache.bpftrace", 8},    /* after each entry, and "Attaching 4" */
        {"cache.bpftrace.json", 4},
        {"bcc.memleak", 13}, /* each frame may be the last, and a report may be empty */
        {"libbpf.memleak", 6},
        {"service.perf", 21}, /* 4 ends of stacks; parts of a head may be folded stacks */
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        size_t complete = 0;
        check_case = rows[i].fixture;
        struct hf_text bytes = read_fixture(rows[i].fixture);
        for (size_t size = 0; size <= bytes.size; size++) {
            struct hf_profile *profile = read_damaged(hf_text_first(bytes, size));
            complete += profile != NULL && !profile->notes.has_loss;
            hf_profile_free(profile);
        }
        assert_int_equal(complete, rows[i].complete);
        read_each_flip(bytes, NULL, NULL);
        free((void *)(uintptr_t)bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_heaptrack),
        cmocka_unit_test(reads_perf_script),
        cmocka_unit_test(places_what_perf_could_not_name),
        cmocka_unit_test(limits_the_events),
        cmocka_unit_test(reads_memleak),
        cmocka_unit_test(reads_bpftrace),
        cmocka_unit_test(chooses_what_is_there),
        cmocka_unit_test(limits_the_depth),
        cmocka_unit_test(refuses),
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests_name("traces", tests, NULL, NULL);
}
