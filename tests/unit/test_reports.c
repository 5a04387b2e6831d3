/* Reports of leak checkers and heap profilers in text: what is sound is read, what is lost is said.
 */
#include "profile/profile.h"
#include "reading.h"

#define MEMCHECK_STACK                                                                             \
    "==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck.so)\n"             \
    "==7==    by 0x109364: lose (leaks.c:10)\n"                                                    \
    "==7==    by 0x1090C8: main (leaks.c:19)\n"                                                    \
    "==7== \n"
#define MEMCHECK_SUMMARY(definitely, indirectly)                                                   \
    "==7== LEAK SUMMARY:\n"                                                                        \
    "==7==    definitely lost: " definitely "\n"                                                   \
    "==7==    indirectly lost: " indirectly "\n"                                                   \
    "==7==      possibly lost: 0 bytes in 0 blocks\n"                                              \
    "==7==    still reachable: 0 bytes in 0 blocks\n"                                              \
    "==7==         suppressed: 3 bytes in 1 blocks\n"
#define MEMCHECK                                                                                   \
    "==7== Memcheck, a memory error detector\n"                                                    \
    "==7== \n"                                                                                     \
    "==7== HEAP SUMMARY:\n"                                                                        \
    "==7==     in use at exit: 1,157 bytes in 4 blocks\n"                                          \
    "==7== \n"                                                                                     \
    "==7== 133 bytes in 3 blocks are indirectly lost in loss record 1 of 2\n" MEMCHECK_STACK       \
    "==7== 1,157 (1,024 direct, 133 indirect) bytes in 1 blocks are definitely lost in loss "      \
    "record 2 of 2\n" MEMCHECK_STACK MEMCHECK_SUMMARY(                                             \
        "1,024 bytes in 1 blocks", "133 bytes in 3 blocks") "==7== ERROR SUMMARY: 1 errors\n"
#define MEMCHECK_FOLDED                                                                            \
    "[definitely lost];main leaks.c:19;lose leaks.c:10;malloc 1024\n[indirectly lost];main "       \
    "leaks.c:19;lose leaks.c:10;malloc 133\n"

#define XML_FRAME(fn)                                                                              \
    "    <frame>\n      <ip>0x1</ip>\n      <obj>/a.out</obj>\n      <fn>" fn "</fn>\n"            \
    "      <dir>/srv</dir>\n      <file>a&amp;b.c</file>\n      <line>7</line>\n    </frame>\n"
#define XML_LEAK(text, frames)                                                                     \
    "<error>\n  <unique>0x0</unique>\n  <tid>1</tid>\n  <kind>Leak_DefinitelyLost</kind>\n"        \
    "  <xwhat>\n    <text>" text "</text>\n    <leakedbytes>9</leakedbytes>\n"                     \
    "    <leakedblocks>3</leakedblocks>\n  </xwhat>\n  <stack>\n" frames "  </stack>\n</error>\n"
#define XML_RECORD "9 bytes in 3 blocks are definitely lost in loss record 1 of 1"
#define XML_START "<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n"
#define XML_END "</valgrindoutput>\n"
#define XML XML_START XML_LEAK(XML_RECORD, XML_FRAME("f&lt;int&gt;()") XML_FRAME("main")) XML_END
#define XML_FOLDED "[definitely lost];main /srv/a&b.c:7;f<int>() /srv/a&b.c:7 9\n"

#define MASSIF_RULE "#-----------\n"
#define MASSIF_SNAPSHOT(number, heap, tree)                                                        \
    MASSIF_RULE "snapshot=" number "\n" MASSIF_RULE "time=5\nmem_heap_B=" heap                     \
                "\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=" tree "\n"
#define MASSIF_HEAD "desc: (none)\ncmd: ./leaks\ntime_unit: i\n"
#define MASSIF_PEAK                                                                                \
    "n3: 300 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"                    \
    " n2: 200 0x1: lose (leaks.c:12)\n"                                                            \
    "  n0: 150 0x2: main (leaks.c:19)\n"                                                           \
    "  n0: 50 in 2 places, all below massif's threshold (1.00%)\n"                                 \
    " n0: 93 0x3: operator()(int) const (x.cc:1)\n"                                                \
    " n0: 7 in 1 place, below massif's threshold (1.00%)\n"
#define MASSIF                                                                                     \
    MASSIF_HEAD MASSIF_SNAPSHOT("0", "0", "empty") MASSIF_SNAPSHOT("1", "300", "peak")             \
        MASSIF_PEAK MASSIF_SNAPSHOT(                                                               \
            "2", "90", "detailed") "n1: 90 (heap allocation functions)\n n0: 90 0x3: f "           \
                                   "(x.c:1)\n" MASSIF_SNAPSHOT("3", "0", "empty")
#define MASSIF_FOLDED                                                                              \
    "[below threshold] 7\n[below threshold];lose leaks.c:12 50\nmain leaks.c:19;lose leaks.c:12 "  \
    "150\noperator()(int) const x.cc:1 93\n"
#define MASSIF_NOTE(of, last)                                                                      \
    "in: peak_space is snapshot 1 of " of                                                          \
    "; in addition, 8 bytes of heap overhead and 0 of thread stacks have no call stack; "          \
    "inuse_space is snapshot " last ", the last with a tree\n"

#define DHAT_HEAD "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"bklt\":true,"
#define DHAT_POINT(end)                                                                            \
    "{\"tb\":91,\"tbk\":7,\"gb\":13,\"gbk\":1,\"eb\":" end ",\"ebk\":" end ",\"fs\":[1,2,3]}"
#define DHAT_FRAMES                                                                                \
    "\"ftbl\":[\"[root]\",\"0x1: malloc (in /a.so)\",\"0x2: lose (a.c:1)\",\"0x3: main "           \
    "(a.c:2)\"]}\n"

#define LSAN_STACK                                                                                 \
    "    #0 0x7f01 in __interceptor_malloc ../../lsan.cpp:75\n"                                    \
    "    #1 0x5502 in lose /srv/leaks.c:12:3\n"                                                    \
    "    #2 0x5503  (/srv/leaks+0x1326) (BuildId: 0aff)\n"                                         \
    "\n"
#define LSAN                                                                                       \
    "==7==ERROR: LeakSanitizer: detected memory leaks\n\n"                                         \
    "Direct leak of 91 byte(s) in 7 object(s) allocated from:\n" LSAN_STACK                        \
    "Indirect leak of 9 byte(s) in 1 object(s) allocated from:\n" LSAN_STACK                       \
    "SUMMARY: LeakSanitizer: 100 byte(s) leaked in 8 allocation(s).\n"
#define LSAN_FOLDED                                                                                \
    "[direct leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc ../../lsan.cpp:75 91\n"  \
    "[indirect leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc ../../lsan.cpp:75 9\n"

static const struct {
    const char *name, *text, *folded, *notes;
} reports[] = {
    {"memcheck", MEMCHECK, MEMCHECK_FOLDED, ""},
    {"memcheck: no leaks", "==7== All heap blocks were freed -- no leaks are possible\n", "", ""},
    {"memcheck: a changed leak check",
        "==7== 10 (+10) bytes in 2 (-1) blocks are possibly lost in loss record 1 of 1\n"
        "==7==    at 0x1: f (a.c:1)\n==7== \n==7== LEAK SUMMARY:\n"
        "==7==    definitely lost: 0 (+0) bytes in 0 (+0) blocks\n"
        "==7==    indirectly lost: 0 (+0) bytes in 0 (+0) blocks\n"
        "==7==      possibly lost: 10 (+10) bytes in 2 (-1) blocks\n"
        "==7==    still reachable: 0 (+0) bytes in 0 (+0) blocks\n"
        "==7==         suppressed: 0 (+0) bytes in 0 (+0) blocks\n",
        "[possibly lost];f a.c:1 10\n", ""},
    {"memcheck: time stamps",
        "==00:00:00:00.355 7== 9 bytes in 1 blocks are definitely lost in loss record 1 of 1\n"
        "==00:00:00:00.355 7==    at 0x1: ??? (in /a/libx y.so)\n==00:00:00:00.355 7== "
        "\n" MEMCHECK_SUMMARY("9 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];[libx y.so] 9\n", ""},
    {"memcheck: two checks, the last counts",
        MEMCHECK
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 1\n" MEMCHECK_STACK
            MEMCHECK_SUMMARY("5 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];main leaks.c:19;lose leaks.c:10;malloc 5\n",
        "in: process 7 made several leak checks; the last one is shown\n"},
    {"memcheck: kinds that were not asked for",
        "==7== 24 (5 direct, 19 indirect) bytes in 1 blocks are definitely lost in loss record "
        "1 "
        "of 2\n" MEMCHECK_STACK MEMCHECK_SUMMARY("5 bytes in 1 blocks", "19 bytes in 2 blocks"),
        "[definitely lost];main leaks.c:19;lose leaks.c:10;malloc 5\n",
        "in: process 7: 19 bytes in 2 blocks are indirectly lost, but not listed: run valgrind "
        "with --leak-check=full --show-leak-kinds=all\n"},
    {"memcheck: a record is missing",
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 2\n" MEMCHECK_STACK
            MEMCHECK_SUMMARY("12 bytes in 2 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];main leaks.c:19;lose leaks.c:10;malloc 5\n",
        "LOSS in: process 7: its summary says that 12 bytes in 2 blocks are definitely lost, "
        "its "
        "records say 5 in 1: the file is cut or damaged\n"},
    {"memcheck: a damaged frame",
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 2\n"
        "==7==    at 0x48g: malloc\n==7==    by 0x1: f (a.c:1)\n==7== \n" MEMCHECK_SUMMARY(
            "5 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];f a.c:1 5\n",
        "LOSS in: line 2: expected a frame '   by 0x...: name (file:line)', found '   at "
        "0x48g: "
        "malloc'; skipped\n"},
    {"memcheck: the program writes into a stack",
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 2\n"
        "==7==    at 0x1: f (a.c:1)\nhello==7==    by 0x1: g (a.c:1)\n==7==    by 0x2: h "
        "(a.c:1)\n"
        "==7== \n" MEMCHECK_SUMMARY("5 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];h a.c:1;g a.c:1;f a.c:1 5\n", ""},
    {"memcheck: a damaged prefix",
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 2\n"
        "==7==    at 0x1: f (a.c:1)\n==x==    by 0x1: g (a.c:1)\n==7== \n" MEMCHECK_SUMMARY(
            "5 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];f a.c:1 5\n",
        "LOSS in: line 3: expected '==PID==' at the start of valgrind's output, found '==x==    by "
        "0x1: "
        "g "
        "(a.c:1)'; skipped\n"},
    {"memcheck: processes write in turn",
        "==7== 5 bytes in 1 blocks are definitely lost in loss record 1 of 1\n"
        "==8== 6 bytes in 1 blocks are definitely lost in loss record 1 of 1\n"
        "==7==    at 0x1: f (a.c:1)\n==8==    at 0x1: g (b.c:1)\n==7== \n==8== "
        "\n" MEMCHECK_SUMMARY("5 bytes in 1 blocks", "0 bytes in 0 blocks"),
        "[definitely lost];f a.c:1 5\n[definitely lost];g b.c:1 6\n",
        "LOSS in: the leak report of process 8 has no whole 'LEAK SUMMARY:': the process was "
        "killed, or the file is cut or damaged\n"
        "in: the leaks of 2 processes are added up\n"},
    {"xml", XML, XML_FOLDED, ""},
    {"xml: an error that is no leak",
        XML_START "<error>\n  <kind>InvalidRead</kind>\n  <stack>\n    <frame>\n" XML_END, "",
        "in: has no leaks; valgrind lists all of them only with --leak-check=full "
        "--show-leak-kinds=all\n"},
    {"xml: cut", XML_START XML_LEAK(XML_RECORD, XML_FRAME("main")),
        "[definitely lost];main /srv/a&b.c:7 9\n",
        "LOSS in: ends without '</valgrindoutput>': the process was killed, or the file is cut\n"},
    {"xml: no record", XML_START XML_LEAK("9 bytes", XML_FRAME("main")) XML_END, "",
        "LOSS in: line 24: expected a leak with a <text> 'N bytes in N blocks are ...' and a "
        "<stack>, "
        "found '</error>'; skipped\n"},
    {"xml: a leak of a known kind that is in no loss record",
        XML_START XML_LEAK("9 bytes in 3 blocks are definitely lost", XML_FRAME("main")) XML_END,
        "",
        "LOSS in: line 24: expected a leak with a <text> 'N bytes in N blocks are ...' and a "
        "<stack>, "
        "found '</error>'; skipped\n"},
    {"xml: a loss record of an unknown kind",
        XML_START XML_LEAK("9 bytes in 3 blocks are lost in loss record 1 of 1", XML_FRAME("main"))
            XML_END,
        "",
        "LOSS in: line 24: expected a leak with a <text> 'N bytes in N blocks are ...' and a "
        "<stack>, "
        "found '</error>'; skipped\n"},
    {"xml: a damaged frame",
        XML_START XML_LEAK(XML_RECORD, "<frame>\n<ip>7</ip>\n<xy>f</fn>\n</frame>\n") XML_END,
        "[definitely lost];0x7 9\n",
        "LOSS in: line 17: expected <ip>, <obj>, <fn>, <dir>, <file> or <line> of a frame, found "
        "'<xy>f</fn>'; skipped\n"},
    {"massif", MASSIF, MASSIF_FOLDED, MASSIF_NOTE("4", "2")},
    {"massif: no peak is marked",
        MASSIF_HEAD MASSIF_SNAPSHOT("0", "9", "detailed") "n1: 9 (heap)\n n0: 9 0x1: f (a.c:1)\n",
        "f a.c:1 9\n",
        "in: peak_space is snapshot 0 of 1, the largest with a tree, because none is marked as the "
        "peak; in addition, 8 bytes of heap overhead and 0 of thread stacks have no call stack; "
        "inuse_space is snapshot 0, the last with a tree\n"},
    {"massif: the largest of several, none of which is marked",
        MASSIF_HEAD MASSIF_SNAPSHOT(
            "0", "5", "detailed") "n1: 5 (heap)\n n0: 5 0x1: f (a.c:1)\n" MASSIF_SNAPSHOT("1", "9",
            "detailed") "n1: 9 (heap)\n n0: 9 0x2: g (a.c:2)\n" MASSIF_SNAPSHOT("2", "7",
            "detailed") "n1: 7 (heap)\n n0: 7 0x3: h (a.c:3)\n",
        "g a.c:2 9\n",
        "in: peak_space is snapshot 1 of 3, the largest with a tree, because none is marked as the "
        "peak; in addition, 8 bytes of heap overhead and 0 of thread stacks have no call stack; "
        "inuse_space is snapshot 2, the last with a tree\n"},
    {"massif: the first of two that are equally large",
        MASSIF_HEAD MASSIF_SNAPSHOT(
            "0", "9", "detailed") "n1: 9 (heap)\n n0: 9 0x1: f (a.c:1)\n" MASSIF_SNAPSHOT("1", "9",
            "detailed") "n1: 9 (heap)\n n0: 9 0x2: g (a.c:2)\n",
        "f a.c:1 9\n",
        "in: peak_space is snapshot 0 of 2, the largest with a tree, because none is marked as the "
        "peak; in addition, 8 bytes of heap overhead and 0 of thread stacks have no call stack; "
        "inuse_space is snapshot 1, the last with a tree\n"},
    {"massif: a tree that does not add up",
        MASSIF_HEAD MASSIF_SNAPSHOT("0", "9", "peak") "n1: 9 (heap)\n n0: 8 0x1: f (a.c:1)\n", "",
        "LOSS in: line 13: expected a tree in which each node is the sum of its children, found ' "
        "n0: 8 0x1: f (a.c:1)'; snapshot 0 is skipped\n"},
    {"massif: a total that is not the snapshot's",
        MASSIF_HEAD MASSIF_SNAPSHOT("0", "9", "peak") "n1: 8 (heap)\n n0: 8 0x1: f (a.c:1)\n", "",
        "LOSS in: line 12: expected a node ' n1: 4096 0x...: name (file:line)' of the tree, "
        "found "
        "'n1: 8 (heap)'; snapshot 0 is skipped\n"},
    {"massif: a snapshot is missing",
        MASSIF_HEAD MASSIF_SNAPSHOT("0", "0", "empty")
            MASSIF_SNAPSHOT("2", "9", "peak") "n1: 9 (heap)\n n0: 9 0x1: f (a.c:1)\n",
        "f a.c:1 9\n",
        "LOSS in: line 13: expected snapshot 1, found snapshot 2\n"
        "in: peak_space is snapshot 2 of 3; in addition, 8 bytes of heap overhead and 0 of thread "
        "stacks have no call stack; inuse_space is snapshot 2, the last with a tree\n"},
    {"massif: a damaged snapshot",
        MASSIF_HEAD MASSIF_RULE "snapshot=x\n" MASSIF_RULE "time=5\n" MASSIF_SNAPSHOT(
            "1", "9", "detailed") "n1: 9 (heap)\n  n0: 9 0x1: f (a.c:1)\n" MASSIF_SNAPSHOT("2", "9",
            "peak") "n1: 9 (heap)\n n0: 9 0x1: f (a.c:1)\n",
        "f a.c:1 9\n",
        "LOSS in: line 5: expected snapshot=, found 'snapshot=x'; snapshot 0 is skipped\n"
        "LOSS in: line 9: expected snapshot 0, found snapshot 1\n"
        "LOSS in: line 17: expected a node ' n1: 4096 0x...: name (file:line)' of the tree, found "
        "'  n0: 9 0x1: f (a.c:1)'; snapshot 1 is skipped\n"
        "in: peak_space is snapshot 2 of 3; in addition, 8 bytes of heap overhead and 0 of thread "
        "stacks have no call stack; inuse_space is snapshot 2, the last with a tree\n"},
    {"dhat", DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES,
        "main a.c:2;lose a.c:1;malloc 5\n", ""},
    {"dhat: nothing is left at the end", DHAT_HEAD "\"pps\":[" DHAT_POINT("0") "]," DHAT_FRAMES,
        "main a.c:2;lose a.c:1;malloc 13\n",
        "in: nothing was in use at the end; peak_space is shown\n"},
    {"dhat: copies",
        "{\"dhatFileVersion\":2,\"mode\":\"copy\",\"bklt\":false,\"pps\":[{\"tb\":9,\"tbk\":2,"
        "\"fs\":[2]}]," DHAT_FRAMES,
        "lose a.c:1 9\n", ""},
    {"dhat: damaged points",
        DHAT_HEAD "\"pps\":[" DHAT_POINT("-5") "," DHAT_POINT("5") ",7,{\"tb\":1}]," DHAT_FRAMES,
        "main a.c:2;lose a.c:1;malloc 5\n",
        "LOSS in: left out 3 of 4 program points in \"pps\", without a value, with a frame that "
        "does not "
        "exist or with more than 200000 frames (HF_LIMIT_STACK_FRAMES); the first is point 0\n"},
    {"lsan", LSAN, LSAN_FOLDED, ""},
    {"lsan: two reports", LSAN LSAN,
        "[direct leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc "
        "../../lsan.cpp:75 182\n"
        "[indirect leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc "
        "../../lsan.cpp:75 18\n",
        "in: 2 reports are added up\n"},
    {"lsan: a limited list",
        "The 1 top leak(s):\nDirect leak of 91 byte(s) in 7 object(s) allocated "
        "from:\n" LSAN_STACK "SUMMARY: AddressSanitizer: 100 byte(s) leaked in 8 allocation(s).\n",
        "[direct leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc "
        "../../lsan.cpp:75 91\n",
        "LOSS in: the summary says 100 bytes in 8 objects, the leaks are 91 in 7: the list was "
        "limited (max_leaks), or the file is cut or damaged\n"},
    {"lsan: a damaged frame",
        "Direct leak of 1 byte(s) in 1 object(s) allocated from:\n    #0 0x1 on f a.c:1\n\n"
        "SUMMARY: LeakSanitizer: 1 byte(s) leaked in 1 allocation(s).\n",
        "[direct leak] 1\n",
        "LOSS in: line 2: expected a frame '#1 0x... in name file:line' or the end of the "
        "stack, "
        "found '    #0 0x1 on f a.c:1'; skipped\n"},
};

static void reads_reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(reports); i++) {
        check_case = reports[i].name;
        check_folded(reports[i].text, reports[i].folded, reports[i].notes);
    }
}

/* All values of one report, by their types. */
static void reads_every_type(void **state)
{
    static const struct {
        const char *text, *type, *folded;
    } rows[] = {
        {MEMCHECK, "inuse_objects",
            "[definitely lost];main leaks.c:19;lose leaks.c:10;malloc 1\n[indirectly lost];main "
            "leaks.c:19;lose leaks.c:10;malloc 3\n"},
        {MEMCHECK, "inuse_space", MEMCHECK_FOLDED},
        {MASSIF, "peak_space", MASSIF_FOLDED},
        {MASSIF, "inuse_space", "f x.c:1 90\n"},
        {DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES, "alloc_space",
            "main a.c:2;lose a.c:1;malloc 91\n"},
        {DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES, "alloc_objects",
            "main a.c:2;lose a.c:1;malloc 7\n"},
        {DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES, "peak_objects",
            "main a.c:2;lose a.c:1;malloc 1\n"},
        {LSAN, "inuse_objects",
            "[direct leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc "
            "../../lsan.cpp:75 7\n"
            "[indirect leak];leaks+0x1326;lose /srv/leaks.c:12;__interceptor_malloc "
            "../../lsan.cpp:75 1\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        size_t type;
        check_case = rows[i].type;
        struct hf_profile *profile = read_text(rows[i].text);
        assert_true(hf_profile_find_type(profile, hf_text_of(rows[i].type), &type));
        check_type(profile, type, rows[i].folded);
        hf_profile_free(profile);
    }
}

static void refuses_what_holds_nothing(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"==7== Memcheck, a memory error detector\n==7== HEAP SUMMARY:\n",
            "in: is output of valgrind, but holds no leak report: run valgrind with "
            "--leak-check=full --show-leak-kinds=all (massif and DHAT write files of their own: "
            "massif.out.PID, dhat.out.PID)"},
        {MASSIF_HEAD MASSIF_SNAPSHOT("0", "0", "empty"),
            "in: has 1 snapshot, but none with a tree of stacks: run massif with "
            "--detailed-freq=1"},
        {"{\"dhatFileVersion\":1,\"mode\":\"heap\"}",
            "in: expected \"dhatFileVersion\": 2 and a \"mode\", found version 1, mode 'heap'"},
        {DHAT_HEAD "\"pps\":[]}", "in: expected the arrays \"pps\" and \"ftbl\" of DHAT's JSON"},
        {DHAT_HEAD "\n\"pps\":[",
            "in: line 3: is not complete JSON: ']' expected near end of file; "
            "the file is cut or damaged"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].text;
        check_refused(hf_text_of(rows[i].text), HF_ERR_INPUT, rows[i].error);
    }
}

static const struct {
    const char *name, *text, *folded;
} whole[] = {
    {"memcheck", MEMCHECK, MEMCHECK_FOLDED},
    {"dhat", DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES,
        "main a.c:2;lose a.c:1;malloc 5\n"},
    {"lsan", LSAN, LSAN_FOLDED},
    {"xml", XML, XML_FOLDED},
};

/* A prefix is an error, has a loss note, or holds everything. */
static void loses_nothing_silently(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(whole); i++) {
        check_case = whole[i].name;
        for (size_t size = 0; size <= strlen(whole[i].text); size++) {
            struct hf_profile *profile = read_damaged((struct hf_text){whole[i].text, size});
            if (profile == NULL)
                continue;
            if (!profile->notes.has_loss)
                check_type(profile, profile->default_type, whole[i].folded);
            hf_profile_free(profile);
        }
    }
}

/* Massif's file has no end mark: only a prefix that ends with a whole snapshot may have no loss. */
static void cuts_massif(void **state)
{
    (void)state;
    check_case = "prefixes of massif";
    for (size_t size = 0; size < sizeof MASSIF; size++) {
        struct hf_profile *profile = read_damaged((struct hf_text){MASSIF, size});
        if (profile == NULL)
            continue;
        bool is_at_snapshot =
            size + 1 == sizeof MASSIF || strncmp(&MASSIF[size], MASSIF_RULE "snapshot", 20) == 0;
        assert_int_equal(profile->notes.has_loss, !is_at_snapshot);
        hf_profile_free(profile);
    }
}

struct damaged {
    const char *text;
    uint64_t total;
    size_t note_count;
};

/* Numbers are said twice in these: a changed one is a loss, or leads to another note. */
static void check_said(const struct hf_profile *profile, const void *context)
{
    const struct damaged *row = context;
    uint64_t total = hf_profile_total(profile, profile->default_type, HF_THREAD_ALL).value;
    if (row->total != 0 && total != row->total && !profile->notes.has_loss)
        assert_int_not_equal(profile->notes.count, row->note_count);
}

static void reads_damaged_files(void **state)
{
    static const struct damaged rows[] = {
        {MEMCHECK, 1157, 0},
        {MASSIF, 300, 1},
        {LSAN, 100, 0},
        {XML, 0, 0},
        {DHAT_HEAD "\"pps\":[" DHAT_POINT("5") "]," DHAT_FRAMES, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].text;
        read_each_flip(hf_text_of(rows[i].text), check_said, &rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_reports),
        cmocka_unit_test(reads_every_type),
        cmocka_unit_test(refuses_what_holds_nothing),
        cmocka_unit_test(loses_nothing_silently),
        cmocka_unit_test(cuts_massif),
        cmocka_unit_test(reads_damaged_files),
    };
    return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
