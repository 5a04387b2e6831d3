#include "spec/owner_name.h"

#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define WORDS_MAX 12
#define WORD_BYTES 16

/* What a word is. */
enum {
    MEMORY = 1 << 0,        /* plain memory */
    HOLDER = 1 << 1,        /* a container */
    ITEM = 1 << 2,          /* what lies in one */
    ALLOCATES = 1 << 3,     /* a verb */
    TAKES = 1 << 4,         /* a verb that allocates if its object is memory */
    MAKES = 1 << 5,         /* a verb: of an object */
    FILLS = 1 << 6,         /* a verb of containers */
    PUSHES = 1 << 7,        /* one that nothing else has */
    QUALIFIES = 1 << 8,     /* no more than that */
    ACTS = 1 << 9,          /* the name says what happens, not what is made */
    DRIVES = 1 << 10,       /* what follows is all that the program does */
    DRIVES_ALONE = 1 << 11, /* if it is the only word */
    SUBJECTIVE = 1 << 12,   /* a container that is also called after what it is for: a seat map */
    HOSTS = 1 << 13,        /* who drives: says nothing of what is done */
    SHARES = 1 << 14,       /* if it is the only word: puts a value where others can hold it */
    WIDENS = 1 << 15,       /* gives room, whatever for: answers_grow */
    WORKS = 1 << 16,        /* alone, it is what a class is for: Macros::expand */
    BEFORE = 1 << 17,       /* a verb only if its object follows: from_text, not times_from */
    KEEPS = 1 << 18,        /* what it says is that it stays: cache_refusal, memoize */
    COPIES = 1 << 19,       /* a verb: what is made is for whoever asks, whatever it is */
    OUTSIDE = 1 << 20       /* what is copied is no memory, or it is for a place that is named */
};
#define VERBS (ALLOCATES | TAKES | MAKES | FILLS)
#define NOUNS (MEMORY | HOLDER | ITEM)
#define GENERIC (NOUNS | VERBS | QUALIFIES)

/* In blanks: words of at most WORD_BYTES - 1 bytes, lower case. */
static const struct {
    unsigned kind;
    const char *words;
} owner_words[] = {
    {MEMORY, " mem memory bytes "},
    {MEMORY | SUBJECTIVE, " block chunk segment zone "},
    {MEMORY | HOLDER, " buf buffer slab arena pool allocator heap "},
    {HOLDER,
        " str string strings strbuf strbuilder sbuf sb bb gb vb builder vec vector vectors array "
        "arrays arr ary darray dynarray da list lists lst slist dlist llist ll queue deque dq fifo "
        "pq ring ringbuf stack stk dstr dynstr sds blob bitset bitvec matrix mat tensor rope "
        "minheap maxheap "},
    {HOLDER | SUBJECTIVE,
        " map maps hashmap strmap hmap hash htab hashtable ht hm dict set tree bst avl rbtree "
        "trie tuple grid image bitmap text "},
    {ITEM,
        " node nodes cell cells elem element elements item items entry entries obj object objects "
        "val value values key keys ptr pointer pointers int ints integer real reals double float "
        "floats char chars ch byte long short bool uint u8 i32 i64 u32 f32 f64 data size len "
        "length cap capacity slot slots bucket buckets head tail back front first last end sorted "
        "child children sibling row col rows cols 1d 2d 3d r8 r4 i4 i8 dp sp 32 64 generic struct "
        "table line "},
    {ALLOCATES,
        " alloc allocate malloc calloc realloc zalloc palloc getmem grow resize reserve enlarge "
        "ensure reallocate slurp "},
    {ALLOCATES | WORKS, " expand extend "},
    {TAKES, " get take acquire obtain grab "},
    {MAKES, " new create make mk dup dupe duplicate clone copy strdup strndup memdup "
            "newlen "},
    {MAKES | BEFORE, " from "},
    {FILLS, " add addf put set insert save write writef emplace printf appendf vprintf fmt "
            "replace sub slice trim repeat upper lower substr "},
    {FILLS | PUSHES,
        " append push prepend enqueue concat cat catf pushback join split format sprintf strjoin "
        "strsplit strcat "},
    {QUALIFIES,
        " safe checked must xx my dyn dynamic growable resizable linked double doubly singly small "
        "fixed flat concurrent blocking free lock shared unique simple static sparse dense "
        "circular intrusive bump global local impl internal inner aux helper deep shallow all raw "
        "tmp temp zero zeroed aligned die fail null n f v s c at after before if util cached "
        "thread whole entire "},
    {ACTS,
        " on cmd do handle handler load keep store send process read parse is has or find lookup "
        "event command op api rpc http menu action test maybe show print update use check when "
        "start stop begin open close report note record with newline "},
    {DRIVES, " run main loop mainloop eventloop serve forever "},
    {HOSTS,
        " app application server client engine worker game program runner loop event thread "
        "service daemon scheduler executor reactor dispatcher process task job system test bench "
        "demo sim simulation core manager kernel shell cli tool main "},
    {SHARES, " shared boxed rc arc refcounted "},
    {WIDENS, " grow reserve realloc reallocate enlarge "},
    {KEEPS, " cache caches caching memo memoize memoise remember history journal archive "
            "checkpoint snapshot stash retain "},
    {COPIES, " copy duplicate "},
    {OUTSIDE, " to into file files dir dirs directory folder disk device "},
    {DRIVES_ALONE, " worker dispatch start thread poll "},
};

/* The words of a name: session_new, sessionNew, SessionNEW. */
struct owner_words {
    unsigned kinds[WORDS_MAX];
    size_t count;
    bool is_whole;   /* all of them are here */
    bool is_factory; /* the last is */
    char first[WORD_BYTES];
};

/* The words by their hash: thousands of names are asked for. At most a quarter of it is used. */
#define SLOTS 2048u
static struct {
    char word[WORD_BYTES];
    unsigned kinds; /* 0: nothing is here */
} slots[SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

/* Where a word is, or would be. */
static size_t owner_slot_of(const char *word, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    size_t at = hash % SLOTS;
    while (slots[at].kinds != 0 &&
           (memcmp(slots[at].word, word, size) != 0 || slots[at].word[size] != '\0'))
        at = (at + 1) % SLOTS;
    return at;
}

static void fill_slots(void)
{
    for (size_t i = 0; i < sizeof owner_words / sizeof *owner_words; i++) {
        for (const char *at = owner_words[i].words + 1; *at != '\0';) {
            size_t size = strcspn(at, " ");
            size_t slot = owner_slot_of(at, size);
            memcpy(slots[slot].word, at, size);
            slots[slot].kinds |= owner_words[i].kind;
            at += size + 1;
        }
    }
}

/* Of less than WORD_BYTES bytes. */
static unsigned kinds_of_word(const char *lower, size_t size)
{
    return slots[owner_slot_of(lower, size)].kinds;
}

/* Of two words in one, a verb and a noun: newnode, vecpush. */
static unsigned kinds_of_two(const char *lower, size_t size)
{
    const unsigned verbs = ALLOCATES | MAKES | PUSHES;
    for (size_t cut = 2; cut + 2 <= size; cut++) {
        unsigned first = kinds_of_word(lower, cut);
        if ((first & (verbs | NOUNS)) == 0)
            continue;
        unsigned then = kinds_of_word(lower + cut, size - cut);
        if (((first & verbs) != 0 && (then & NOUNS) != 0) ||
            ((first & NOUNS) != 0 && (then & verbs) != 0))
            return first | then;
    }
    return 0;
}

static unsigned kinds_of(struct hf_text word, char *lower)
{
    if (word.size >= WORD_BYTES)
        return 0;
    for (size_t i = 0; i < word.size; i++)
        lower[i] = (char)tolower((unsigned char)word.data[i]);
    lower[word.size] = 0;
    unsigned kinds = kinds_of_word(lower, word.size);
    return kinds != 0 ? kinds : kinds_of_two(lower, word.size);
}

static bool owner_is_letter(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* Where the word that begins at `from` ends: before "_" or the next capital: HTML|Node, new|Node.
 */
static size_t owner_word_end(struct hf_text name, size_t from)
{
    size_t end = from + 1;
    while (end < name.size && owner_is_letter(name.data[end])) {
        bool is_capital = isupper((unsigned char)name.data[end]) != 0;
        bool was_capital = isupper((unsigned char)name.data[end - 1]) != 0;
        bool is_last_capital =
            end + 1 < name.size && islower((unsigned char)name.data[end + 1]) != 0;
        if (is_capital && (!was_capital || is_last_capital))
            break;
        end++;
    }
    return end;
}

static struct owner_words owner_words_of(struct hf_text name)
{
    struct owner_words words = {.is_whole = true};
    (void)pthread_once(&slots_once, fill_slots);
    for (size_t at = 0; at < name.size;) {
        if (!owner_is_letter(name.data[at])) {
            words.is_whole = words.is_whole && name.data[at] == '_';
            at++;
            continue;
        }
        size_t end = owner_word_end(name, at);
        char lower[WORD_BYTES] = "";
        if (words.count == WORDS_MAX) {
            words.is_whole = false;
            break;
        }
        words.kinds[words.count] = kinds_of((struct hf_text){name.data + at, end - at}, lower);
        words.is_factory = strcmp(lower, "factory") == 0;
        if (words.count++ == 0)
            memcpy(words.first, lower, sizeof lower);
        at = end;
    }
    return words;
}

/* The kinds that all words from `from` have one of, and the sum of their kinds; 0: not all are. */
static unsigned owner_sum(const struct owner_words *words, size_t from)
{
    unsigned sum = 0;
    for (size_t i = from; i < words->count; i++) {
        if ((words->kinds[i] & GENERIC) == 0)
            return 0;
        sum |= words->kinds[i];
    }
    return sum;
}

/* `sum` has a verb that allocates by what else is there. */
static bool is_allocating(unsigned sum)
{
    return (sum & (ALLOCATES | MAKES | FILLS)) != 0 || ((sum & TAKES) != 0 && (sum & MEMORY) != 0);
}

static bool owner_has_word(const struct owner_words *words, unsigned kind)
{
    for (size_t i = 0; i < words->count; i++)
        if ((words->kinds[i] & kind) != 0)
            return true;
    return false;
}

/* Plain memory, of whatever: reallocate_resource_memory, answers_grow. */
static bool is_of_memory(const struct owner_words *words)
{
    bool widens = words->count > 1 && (words->kinds[words->count - 1] & WIDENS) != 0;
    return (words->kinds[0] & ACTS) == 0 &&
           (widens || (owner_has_word(words, ALLOCATES) && owner_has_word(words, MEMORY)));
}

/* No subject: mem_get, sb_add, new_node, checked_new, append. */
static bool is_generic_name(const struct owner_words *words, bool is_method)
{
    size_t at = 0;
    unsigned sum = owner_sum(words, 0);
    while (at + 1 < words->count && (words->kinds[at] & GENERIC) == QUALIFIES)
        at++;
    if (sum == 0 || (!is_allocating(sum) && (sum & SHARES) == 0))
        return false;
    unsigned first = words->kinds[at];
    if (words->count == 1)
        return !is_method && ((first & (ALLOCATES | PUSHES | SHARES)) != 0 ||
                                 ((first & MAKES) != 0 && (first & NOUNS) != 0));
    if ((first & HOLDER) != 0)
        return true;
    if ((first & (ITEM | MEMORY)) != 0)
        return (sum & (MAKES | ALLOCATES)) != 0 || ((first & MEMORY) != 0 && (sum & TAKES) != 0);
    if ((first & (ALLOCATES | MAKES)) != 0)
        return at != 0 || (sum & NOUNS) != 0;
    return (first & PUSHES) != 0 || ((first & TAKES) != 0 && (sum & MEMORY) != 0);
}

/* What it allocates is something of its own, though it is called no more than that: node_new. */
static bool makes_item(const struct owner_words *words)
{
    unsigned sum = owner_sum(words, 0);
    return (sum & ITEM) != 0 && (sum & (MAKES | ALLOCATES)) != 0;
}

/* A container of something, and its verb behind it: token_array_push. */
static bool is_container_call(const struct owner_words *words)
{
    for (size_t i = 1; i + 1 < words->count; i++)
        if ((words->kinds[i] & HOLDER) != 0 && (words->kinds[i] & SUBJECTIVE) == 0 &&
            (words->kinds[i + 1] & (FILLS | ALLOCATES)) != 0 && owner_sum(words, i) != 0)
            return (words->kinds[0] & (ACTS | VERBS)) == 0;
    return false;
}

/* The object first, then the verb that makes it: session_new. */
static bool is_maker_name(const struct owner_words *words)
{
    unsigned last = words->kinds[words->count - 1];
    if (words->count < 2 || (last & (MAKES | ALLOCATES)) == 0 || (last & BEFORE) != 0 ||
        (words->kinds[0] & VERBS) != 0)
        return false;
    for (size_t i = 0; i < words->count; i++)
        if ((words->kinds[i] & ACTS) != 0)
            return false;
    return true;
}

/* A copy of something: copy_field, cloneScene. */
static bool is_copier_name(const struct owner_words *words)
{
    return words->count > 1 && (words->kinds[0] & COPIES) != 0 &&
           !owner_has_word(words, KEEPS | OUTSIDE | ACTS);
}

static bool ends_with_one_of(struct hf_text text, const char *const *ends)
{
    for (size_t i = 0; ends[i] != NULL; i++)
        if (hf_text_ends(text, ends[i]))
            return true;
    return false;
}

static bool is_cxx_file(struct hf_text file)
{
    static const char *const cxx[] = {
        ".cc", ".cpp", ".cxx", ".c++", ".C", ".hh", ".hpp", ".hxx", ".tcc", ".inl", NULL};
    return ends_with_one_of(file, cxx);
}

bool hf_owner_is_c_file(struct hf_text file)
{
    return hf_text_ends(file, ".c") || hf_text_ends(file, ".h") || is_cxx_file(file);
}

/* A name in its parts; of Fortran, the module is no class. */
struct owner_parts {
    struct hf_text scope, function; /* what is before the last "::", its own last part */
};

static size_t owner_last_colons(struct hf_text name)
{
    int depth = 0;
    for (size_t i = name.size; i-- > 1;) {
        depth += (name.data[i] == '>' || name.data[i] == ')') -
                 (name.data[i] == '<' || name.data[i] == '(');
        if (depth == 0 && name.data[i] == ':' && name.data[i - 1] == ':')
            return i - 1;
    }
    return name.size;
}

static struct owner_parts owner_parts_of(struct hf_text name)
{
    size_t module = hf_text_find_string(name, "_MOD_"), colons = owner_last_colons(name);
    if (hf_text_starts(name, "__") && module != name.size)
        return (struct owner_parts){{NULL, 0}, hf_text_from(name, module + 5)};
    if (colons == name.size)
        return (struct owner_parts){{NULL, 0}, name};
    struct hf_text scope = hf_text_first(name, colons);
    if (hf_text_take(&scope, "<")) {
        scope = hf_text_first(scope, hf_text_find_string(scope, " as "));
        scope = hf_text_first(scope, hf_text_find(scope, '>'));
    }
    size_t before = owner_last_colons(scope);
    return (struct owner_parts){
        before == scope.size ? scope : hf_text_from(scope, before + 2),
        hf_text_from(name, colons + 2),
    };
}

static bool is_constructor(const struct owner_parts *parts, bool is_rust)
{
    return parts->scope.size != 0 && hf_text_equal(parts->scope, parts->function) && !is_rust;
}

/* "operator=" copies for whoever assigns; "operator()" is what a program calls. */
static bool owner_is_operator(struct hf_text function)
{
    return hf_text_take(&function, "operator") && function.size != 0 &&
           !owner_is_letter(function.data[0]) && function.data[0] != '(' && function.data[0] != '_';
}

/* What a method is called says nothing more than that its class is a container: Pool::grow. */
static bool is_of_container(const struct owner_parts *parts, const struct owner_words *words)
{
    struct owner_words scope = owner_words_of(parts->scope);
    unsigned last = scope.count != 0 ? scope.kinds[scope.count - 1] : 0;
    unsigned sum = owner_sum(words, 0);
    if (!scope.is_whole || (last & (MEMORY | HOLDER)) == 0)
        return false;
    bool is_verb = (words->kinds[0] & VERBS) != 0;
    if (owner_sum(&scope, 0) != 0)
        return (sum & VERBS) != 0 || (words->count == 1 && ((last & SUBJECTIVE) == 0 || sum != 0) &&
                                         isupper((unsigned char)parts->scope.data[0]) != 0);
    return sum != 0 && is_verb && (last & SUBJECTIVE) == 0;
}

static enum hf_owner_name owner_method_kind(
    const struct owner_parts *parts, const struct owner_words *words, bool is_rust)
{
    if (is_of_container(parts, words))
        return HF_OWNER_NAME_HELPER;
    struct owner_words scope = owner_words_of(parts->scope);
    bool is_of_factory = scope.is_factory && (words->kinds[0] & MAKES) != 0;
    bool is_one = words->count == 1 && (words->kinds[0] & (MAKES | ALLOCATES)) != 0 &&
                  (words->kinds[0] & WORKS) == 0;
    bool is_with = is_rust && words->count > 1 && strcmp(words->first, "with") == 0;
    return is_one || is_with || is_of_factory ? HF_OWNER_NAME_MAKER : HF_OWNER_NAME_NONE;
}

/* Of whom nothing is known but that they drive: run, event_loop, Server::run; not Inliner::run. */
static bool owner_drives(const struct owner_parts *parts, const struct owner_words *words)
{
    unsigned last = words->kinds[words->count - 1];
    struct owner_words scope = owner_words_of(parts->scope);
    for (size_t i = 0; i + 1 < words->count; i++)
        if ((words->kinds[i] & (HOSTS | DRIVES | QUALIFIES)) == 0)
            return false;
    for (size_t i = 0; i < scope.count; i++)
        if ((scope.kinds[i] & (HOSTS | DRIVES | QUALIFIES)) == 0 && words->count == 1)
            return false;
    return (last & (words->count == 1 ? DRIVES | DRIVES_ALONE : DRIVES)) != 0;
}

enum hf_owner_name hf_owner_name_kind(struct hf_text name, struct hf_text file)
{
    static const char *const scripts[] = {
        ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".java", ">", NULL};
    struct owner_parts parts = owner_parts_of(name);
    struct owner_words words = owner_words_of(parts.function);
    bool is_rust = hf_text_ends(file, ".rs");
    if (ends_with_one_of(file, scripts))
        return HF_OWNER_NAME_NONE;
    if (owner_is_operator(parts.function))
        return HF_OWNER_NAME_HELPER;
    if (!words.is_whole || words.count == 0)
        return HF_OWNER_NAME_NONE;
    if (is_constructor(&parts, is_rust))
        return HF_OWNER_NAME_MAKER;
    if (is_of_memory(&words))
        return HF_OWNER_NAME_HELPER;
    bool is_in_module =
        is_rust && parts.scope.size != 0 && islower((unsigned char)parts.scope.data[0]) != 0;
    if (is_generic_name(&words, parts.scope.size != 0 && !is_in_module) ||
        is_container_call(&words))
        return makes_item(&words) ? HF_OWNER_NAME_MAKER : HF_OWNER_NAME_HELPER;
    enum hf_owner_name kind =
        parts.scope.size != 0 ? owner_method_kind(&parts, &words, is_rust) : HF_OWNER_NAME_NONE;
    if (kind != HF_OWNER_NAME_NONE)
        return kind;
    bool is_one = words.count == 1 && (words.kinds[0] & MAKES) != 0;
    bool is_factory = (is_one || strcmp(words.first, "make") == 0) && is_cxx_file(file);
    if (is_maker_name(&words) || is_copier_name(&words) || is_factory)
        return HF_OWNER_NAME_MAKER;
    return owner_drives(&parts, &words) ? HF_OWNER_NAME_DRIVER : HF_OWNER_NAME_NONE;
}

bool hf_owner_name_keeps(struct hf_text name)
{
    struct owner_parts parts = owner_parts_of(name);
    struct owner_words words = owner_words_of(parts.function);
    return owner_has_word(&words, KEEPS) && !owner_has_word(&words, MAKES | ALLOCATES);
}

bool hf_owner_name_makes(struct hf_text name)
{
    struct owner_parts parts = owner_parts_of(name);
    struct owner_words words = owner_words_of(parts.function);
    if (!words.is_whole || words.count == 0)
        return false;
    unsigned last = words.kinds[words.count - 1];
    for (size_t i = 0; i < words.count && i < 2; i++)
        if ((words.kinds[i] & MAKES) != 0)
            return true;
    return is_of_memory(&words) || is_generic_name(&words, false) || is_container_call(&words) ||
           (last & MAKES) != 0;
}
