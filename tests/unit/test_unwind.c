/*
 * Walks over stacks that a model builds: it calls, returns and is interrupted by signals, and so
 * knows the frames. Each stack is walked with the memo of the stacks before it, and without one.
 *
 * A stack lies in a block of exactly its size, so that a sanitizer sees any other word read.
 */
#include "check.h"
#include "unwind/walk.h"

#define HIGH UINT64_C(0x7fff0000)
#define STACK_BYTES (256u << 10)
#define PLACES 64 /* in the code, each with a rule of its own */
#define FRAMES_MAX 700
#define FIRST_PC UINT64_C(0x401000)

/* The code: place number i returns to pc_of(i). */
static struct hf_unwind_rule rules[PLACES];
static size_t lookups;

static uint64_t pc_of(size_t place)
{
    return FIRST_PC + 16 * place;
}

static struct hf_unwind_rule find(void *context, uint64_t address, bool is_guess)
{
    size_t place = (size_t)((address + 1 - pc_of(0)) / 16);
    (void)context;
    (void)is_guess;
    lookups++;
    return (address + 1 - pc_of(0)) % 16 == 0 && place < PLACES ? rules[place]
                                                                : (struct hf_unwind_rule){0};
}

static const struct hf_unwind_code code = {find, NULL};
static struct hf_unwind_cache cache;
static struct hf_unwind_memo memo, fresh;

/* A thread: its frames, outermost first, and the words of its stack; the last one ends at HIGH. */
static struct {
    struct model_frame {
        struct hf_unwind_registers at;
        size_t place;
        bool is_guess;
    } frames[FRAMES_MAX];
    size_t count;
    uint64_t words[STACK_BYTES / 8];
    uint64_t random;
} model;

static uint64_t *word_at(uint64_t address)
{
    assert_true(address % 8 == 0 && address >= HIGH - STACK_BYTES && address < HIGH);
    return &model.words[(address - (HIGH - STACK_BYTES)) / 8];
}

static uint32_t below(uint32_t count)
{
    return check_random(&model.random) % count;
}

/* Places: 0 is where the thread starts, the others are of every kind. */
static void make_rules(void)
{
    static const enum hf_unwind_kind kinds[] = {HF_UNWIND_SP, HF_UNWIND_SP, HF_UNWIND_SP,
        HF_UNWIND_FP, HF_UNWIND_FP_DEREF, HF_UNWIND_PLT, HF_UNWIND_SIGNAL, HF_UNWIND_UNKNOWN};
    rules[0] = hf_unwind_rule_make(HF_UNWIND_END, 0, 0);
    for (size_t i = 1; i < PLACES; i++) {
        enum hf_unwind_kind kind = kinds[below(HF_COUNT(kinds))];
        uint32_t units = 3 + below(12), fp_place = HF_UNWIND_FP_SAME;
        if (kind == HF_UNWIND_FP || (kind == HF_UNWIND_SP && below(2) == 0))
            fp_place = 2;
        else if (kind == HF_UNWIND_SP && below(4) == 0)
            fp_place = HF_UNWIND_FP_LOST;
        else if (kind == HF_UNWIND_FP_DEREF)
            fp_place = HF_UNWIND_FP_CHAINED;
        int16_t offset = kind == HF_UNWIND_FP_DEREF ? -1
                         : kind == HF_UNWIND_FP     ? 2
                                                    : (int16_t)units;
        rules[i] = kind == HF_UNWIND_UNKNOWN ? (struct hf_unwind_rule){0}
                                             : hf_unwind_rule_make(kind, offset, fp_place);
    }
}

static void start_thread(void)
{
    model.count = 1;
    model.frames[0] = (struct model_frame){.at = {pc_of(0), HIGH - 64, 1}};
}

/* The thread's innermost frame calls, or is interrupted at, what goes on at `place`. */
static bool enter(size_t place)
{
    struct hf_unwind_registers from = model.frames[model.count - 1].at, at = from;
    struct hf_unwind_rule rule = rules[place];
    uint64_t cfa = from.sp, size = 8 * (uint64_t)(4 + below(8));
    bool is_frame = from.fp >= from.sp && from.fp < HIGH;
    if (model.count == FRAMES_MAX || cfa < HIGH - STACK_BYTES + 1024 || place == 0)
        return false;
    *word_at(cfa - 8) = from.pc;
    at.pc = pc_of(place);
    at.sp = cfa - size;
    switch (hf_unwind_rule_kind(rule)) {
    case HF_UNWIND_SP:
        at.sp = cfa - hf_unwind_rule_offset(rule);
        if (hf_unwind_rule_fp_place(rule) == 2)
            *word_at(cfa - 16) = from.fp;
        if (hf_unwind_rule_fp_place(rule) != HF_UNWIND_FP_SAME)
            at.fp = below(2) == 0 ? below(1000) : at.sp + 8 * below(20);
        /* Whoever is further out must not need an rbp that this frame loses. */
        if (hf_unwind_rule_fp_place(rule) == HF_UNWIND_FP_LOST && is_frame)
            return false;
        break;
    case HF_UNWIND_FP:
        *word_at(cfa - 16) = from.fp;
        at.fp = cfa - 16;
        break;
    case HF_UNWIND_UNKNOWN:
        *word_at(cfa - 16) = from.fp;
        at.fp = cfa - 16;
        break;
    case HF_UNWIND_FP_DEREF:
        at.fp = cfa - 24;
        *word_at(at.fp) = from.fp;
        *word_at(at.fp - 8) = cfa;
        at.sp = at.fp - size;
        break;
    case HF_UNWIND_PLT:
        at.sp = cfa - 8 - ((at.pc - 1) % 16 * 8 >= hf_unwind_rule_offset(rule) ? 8 : 0);
        break;
    case HF_UNWIND_SIGNAL:
        at.sp = cfa - 512;
        *word_at(at.sp + HF_UNWIND_SIGNAL_PC) = from.pc - 1;
        *word_at(at.sp + HF_UNWIND_SIGNAL_SP) = from.sp;
        *word_at(at.sp + HF_UNWIND_SIGNAL_FP) = from.fp;
        at.fp = below(1000);
        break;
    case HF_UNWIND_END: return false;
    }
    model.frames[model.count++] = (struct model_frame){
        .at = at, .place = place, .is_guess = hf_unwind_rule_kind(rule) == HF_UNWIND_UNKNOWN};
    return true;
}

static void enter_some(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)enter(1 + below(PLACES - 1));
}

static void leave_some(uint32_t count)
{
    model.count = model.count > count + 1 ? model.count - count : 1;
}

/* Walks the stack as it is up to `high`, from the frame that was entered last. */
static const struct hf_unwind_frame *walk(struct hf_unwind_memo *m, uint64_t high)
{
    const struct hf_unwind_registers *at = &model.frames[model.count - 1].at;
    size_t size = (size_t)(high - at->sp);
    char *bytes = malloc(size != 0 ? size : 1);
    assert_non_null(bytes);
    memcpy(bytes, word_at(at->sp), size);
    struct hf_unwind_stack stack = {at->sp, high, (uintptr_t)bytes - (uintptr_t)at->sp};
    const struct hf_unwind_frame *leaf = hf_unwind_walk(m, at, &stack, &cache, &code);
    free(bytes);
    return leaf;
}

/* With the memo of the walks before, and without: frames, marks and hash are the same. */
static const struct hf_unwind_frame *check_replay(void)
{
    fresh.count = 0;
    const struct hf_unwind_frame *leaf = walk(&memo, HIGH), *f = leaf;
    for (const struct hf_unwind_frame *g = walk(&fresh, HIGH); g != NULL; g = g->caller) {
        assert_non_null(f);
        assert_int_equal(f->pc, g->pc);
        assert_int_equal(f->count, g->count);
        assert_int_equal(f->traits, g->traits);
        assert_int_equal(f->hash, g->hash);
        assert_true(f->hash != 0);
        f = f->caller;
    }
    assert_null(f);
    return leaf;
}

static bool is_cut(const struct hf_unwind_frame *leaf)
{
    return (leaf->traits & HF_UNWIND_IS_CUT) != 0;
}

/* And they are those of the model. */
static void check_frames(void)
{
    const struct hf_unwind_frame *leaf = check_replay(), *f = leaf;
    size_t cut = model.count > HF_UNWIND_FRAMES_MAX ? model.count - HF_UNWIND_FRAMES_MAX : 0;
    bool is_guessed = false;
    assert_int_equal(leaf->count, model.count - cut);
    for (size_t i = model.count; i-- > cut; f = f->caller) {
        assert_int_equal(f->pc, model.frames[i].at.pc);
        is_guessed = is_guessed || (model.frames[i].is_guess && i != cut);
    }
    assert_int_equal(is_cut(leaf), cut != 0);
    assert_int_equal((leaf->traits & HF_UNWIND_IS_GUESSED) != 0, is_guessed);
}

static void set_up(uint64_t seed)
{
    memset(&model, 0, sizeof model);
    memset(&memo, 0, sizeof memo);
    model.random = seed;
    make_rules();
    hf_unwind_cache_clear(&cache);
    start_thread();
}

static void test_calls_and_returns(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        set_up(seed);
        for (int i = 0; i < 300; i++) {
            leave_some(below(model.count > 40 ? 20 : 6));
            enter_some(below(8));
            check_frames();
        }
    }
}

/* Words of the stack become others: numbers, addresses in the stack, places in the code. */
static void test_overwritten_words(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 120; seed++) {
        set_up(seed);
        for (int i = 0; i < 1000; i++) {
            leave_some(below(4));
            enter_some(below(5));
            check_replay();
            uint64_t low = model.frames[model.count - 1].at.sp;
            uint64_t *word = word_at(low + 8 * below((uint32_t)((HIGH - low) / 8)));
            uint64_t old = *word;
            uint64_t values[] = {below(4096), low + 8 * (uint64_t)below(200), pc_of(below(PLACES))};
            *word = values[below(HF_COUNT(values))];
            check_replay();
            *word = old;
            check_frames();
        }
    }
}

/* The innermost frames are kept of more than there is room for, whatever the walk before was. */
static void test_deep_stacks(void **state)
{
    (void)state;
    set_up(7);
    for (int i = 0; i < 300; i++) {
        uint32_t count = HF_UNWIND_FRAMES_MAX - 30 + below(60);
        leave_some(below(3) == 0 ? below(100) : below(3));
        while (model.count < count)
            (void)enter(1 + below(PLACES - 1));
        check_frames();
    }
}

/* Of a stack whose end is not there, the frames are found whose words are. */
static void test_short_stacks(void **state)
{
    (void)state;
    set_up(3);
    while (model.count < 30)
        enter_some(1);
    uint64_t low = model.frames[model.count - 1].at.sp;
    uint32_t last = 1;
    for (uint64_t high = low; high <= HIGH - 64; high++) {
        const struct hf_unwind_frame *leaf = walk(&memo, high), *f = leaf;
        assert_true(leaf->count >= last && leaf->count <= model.count);
        assert_int_equal(is_cut(leaf), leaf->count != model.count);
        for (size_t i = model.count; f != NULL; f = f->caller)
            assert_int_equal(f->pc, model.frames[--i].at.pc);
        last = leaf->count;
    }
    assert_int_equal(last, model.count);
    for (uint64_t high = HIGH; high-- > low;) /* and nothing behind it is remembered */
        last = walk(&memo, high)->count;
    assert_int_equal(last, 1);
}

static void test_no_stack(void **state)
{
    static const struct {
        struct hf_unwind_registers at;
        uint64_t low, high;
    } cases[] = {
        {{0, 0, 0}, 0, 0},
        {{FIRST_PC + 16, 0x1000, 0}, 0x1000, 0x1000},
        {{FIRST_PC + 16, 0x1000, 0}, 0x1000, 0x1007},
        {{FIRST_PC + 16, 0x1000, 0x1000}, 0x2000, 0x1000},
        {{FIRST_PC + 16, 0xff8, 0x1000}, 0x1000, 0x2000},
        {{FIRST_PC + 16, 0x2008, 0x1000}, 0x1000, 0x2000},
        {{FIRST_PC + 16, UINT64_MAX, UINT64_MAX}, 0x1000, 0x2000},
        {{UINT64_MAX, 0x1ff8, UINT64_MAX}, 0x1000, 0x2000},
    };
    (void)state;
    set_up(0);
    rules[1] = hf_unwind_rule_make(HF_UNWIND_SP, INT16_MAX, HF_UNWIND_FP_CHAINED);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_unwind_stack stack = {cases[i].low, cases[i].high, 0};
        const struct hf_unwind_frame *leaf =
            hf_unwind_walk(&memo, &cases[i].at, &stack, &cache, &code);
        assert_int_equal(leaf->count, 1);
        assert_int_equal(leaf->pc, cases[i].at.pc);
        assert_int_equal(leaf->traits & ~HF_UNWIND_NEEDS_FP, HF_UNWIND_IS_CUT);
    }
}

/* A rule may say that the caller's frame lies further in: the walk ends. */
static void test_inward_rule(void **state)
{
    (void)state;
    for (int16_t units = -4; units <= 0; units++) {
        set_up(1);
        rules[1] = hf_unwind_rule_make(HF_UNWIND_SP, 8, HF_UNWIND_FP_SAME);
        while (model.count < 4)
            assert_true(enter(1));
        rules[2] = hf_unwind_rule_make(HF_UNWIND_SP, units, HF_UNWIND_FP_SAME);
        *word_at(model.frames[2].at.sp - 8) = FIRST_PC + 32;
        const struct hf_unwind_frame *leaf = check_replay();
        assert_int_equal(leaf->count, 2);
        assert_true(is_cut(leaf));
    }
}

/* An unchanged stack needs no rule at all; a frame more needs those of the frames around it. */
static void test_replay_asks_nothing(void **state)
{
    (void)state;
    set_up(11);
    while (model.count < 50)
        enter_some(1);
    (void)walk(&memo, HIGH);
    hf_unwind_cache_clear(&cache);
    memo.generation = cache.generation; /* the cache alone forgets */
    lookups = 0;
    assert_int_equal(walk(&memo, HIGH)->count, model.count);
    assert_int_equal(lookups, 0);
    while (!enter(1 + below(PLACES - 1)))
        ;
    assert_int_equal(walk(&memo, HIGH)->count, model.count);
    assert_int_equal(lookups, 1);
}

/*
 * Other code at the same place: after a clear neither cache nor memo knows the code before, even if
 * a thread that was slow puts into the cache what it had found before.
 */
static void test_other_code(void **state)
{
    static struct hf_unwind_cache before;
    (void)state;
    set_up(5);
    for (int i = 0; i < 10; i++) {
        start_thread();
        while (model.count < 20)
            enter_some(1);
        check_frames();
        memcpy(before.words, cache.words, sizeof before.words);
        make_rules();
        hf_unwind_cache_clear(&cache);
        memcpy(cache.words, before.words, sizeof before.words);
        lookups = 0;
        check_replay();
        assert_true(lookups != 0);
        hf_unwind_cache_clear(&cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_and_returns),
        cmocka_unit_test(test_overwritten_words),
        cmocka_unit_test(test_deep_stacks),
        cmocka_unit_test(test_short_stacks),
        cmocka_unit_test(test_no_stack),
        cmocka_unit_test(test_inward_rule),
        cmocka_unit_test(test_replay_asks_nothing),
        cmocka_unit_test(test_other_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
