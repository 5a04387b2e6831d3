#include "source/text/words.h"

static const char *const *const meanings[] = {
    [HF_SOURCE_OBJECT] =
        (const char *const[]){"self", "this", "cls", "static", "parent", "super", "class", NULL},
    [HF_SOURCE_MAKER] = (const char *const[]){"list", "dict", "tuple", "set", "frozenset", "sorted",
        "array", "deque", "bless", "setmetatable", "iter", "reversed", "array_reverse",
        "array_values", "array_merge", "array_filter", "array_slice", "array_unique",
        "iterator_to_array", NULL},
    [HF_SOURCE_MAKING] = (const char *const[]){"new", "freeze", "resolve", "assign", "from", NULL},
    [HF_SOURCE_SAME] = (const char *const[]){"freeze", "dup", "copy", "clone", "to_a", "values",
        "reverse", "sort", "items", "compact", "uniq", "flatten", "toArray", "sort_by", "chomp",
        "strip", "trim", "encode", "decode", "to_s", "toString", "concat", "slice", NULL},
    [HF_SOURCE_MAPPER] = (const char *const[]){"map", "filter_map", "flat_map", "collect", "to_h",
        "sum", "reduce", "inject", "flatMap", "then", "array_map", "array_reduce",
        "each_with_object", "from", "fetch", "tap", "create_task", "ensure_future", "submit",
        "gather", "group_by", "partition", "sort_by", "Promise", "synchronize", NULL},
    [HF_SOURCE_VERB] = (const char *const[]){"append", "push", "add", "insert", "extend", "update",
        "set", "put", "unshift", "setdefault", "appendleft", "store", "setItem", "array_push",
        "array_unshift", "rawset", "heappush", "insort", "enqueue", "offsetSet", "append_child",
        "push_back", "add?", "merge!", "concat", "attach", NULL},
    [HF_SOURCE_GROWER] = (const char *const[]){NULL},
    [HF_SOURCE_MEASURE] = (const char *const[]){"length", "size", "count", "bytesize", "len",
        "to_i", "to_f", "empty?", "any?", "include?", "nil?", "startswith", "endswith",
        "startsWith", "endsWith", "includes", "indexOf", "byteLength", NULL},
    [HF_SOURCE_GETTER] = (const char *const[]){"get", "setdefault", "fetch", "dig", "find", "at",
        "last", "first", "values", "items", "keys", "peek", "item", "getOrDefault", NULL},
    [HF_SOURCE_BLOCKING] = (const char *const[]){"-", "*", "/", "%", "<", ">", "==", "!=", "<=",
        ">=", "===", "!==", "=~", "!~", "!", "#", "?", "++", "--", "**", "<=>", "&", "^", NULL},
    [HF_SOURCE_BLOCKING_BEFORE] = (const char *const[]){"if", "unless", "while", "until", "not",
        "elif", "elsif", "in", "is", "instanceof", "typeof", "defined", "exists", "scalar", "len",
        "delete", "assert", "case", "when", "switch", "isset", "count", "print", "keys", "length",
        "lc", "uc", "join", "sprintf", "split", "printf", "echo", "puts", "ref", NULL},
    [HF_SOURCE_BLOCKING_BEHIND] = (const char *const[]){"in", "is", "instanceof", "eq", "ne", "lt",
        "gt", "le", "ge", "cmp", "x", NULL},
    [HF_SOURCE_LEAVING] =
        (const char *const[]){"return", "yield", "raise", "throw", "die", "croak", "confess", NULL},
    [HF_SOURCE_NOTHING] = (const char *const[]){"nil", "None", "null", "undefined", "undef", "true",
        "false", "True", "False", NULL},
    [HF_SOURCE_DECLARING] = (const char *const[]){"my", "local", "const", "let", "var", "our",
        "public", "private", "readonly", "final", NULL},
    [HF_SOURCE_COUNTED] = (const char *const[]){NULL},
};

/* Of C, C++ and Rust. "x.clone()" is another value; what looks at one (c_str, as_ref) gives none.
 */
static const char *const *const compiled_meanings[] = {
    [HF_SOURCE_OBJECT] = (const char *const[]){"this", "self", "Self", NULL},
    [HF_SOURCE_MAKER] = (const char *const[]){"move", "forward", "make_unique", "make_shared",
        "make_pair", "make_tuple", "static_cast", "const_cast", "reinterpret_cast", "dynamic_cast",
        "static_pointer_cast", "optional", "pair", "tuple", "unique_ptr", "shared_ptr", NULL},
    [HF_SOURCE_MAKING] = (const char *const[]){"new", "move", "forward", "make_unique",
        "make_shared", "make_pair", "make_tuple", "static_pointer_cast", "optional", "pair",
        "tuple", "unique_ptr", "shared_ptr", NULL},
    [HF_SOURCE_SAME] = (const char *const[]){"unwrap", "expect", "into", "into_boxed_slice",
        "into_boxed_str", "into_iter", "unwrap_or_default", "unwrap_or_else", "ok", "collect",
        "value", "release", "take", "ok_or", "ok_or_else", "map_err", "context", "with_context",
        "unwrap_or", "into_inner", "into_bytes", "into_string", "build", NULL},
    [HF_SOURCE_MAPPER] =
        (const char *const[]){"map", "and_then", "filter_map", "flat_map", "map_or",
            "unwrap_or_else", "unwrap_or", "then", "then_some", "ok_or", "async", "spawn", NULL},
    [HF_SOURCE_VERB] = (const char *const[]){"push", "push_back", "push_front", "emplace",
        "emplace_back", "emplace_front", "emplace_hint", "try_emplace", "insert",
        "insert_or_assign", "reset", "extend", "or_insert", "or_insert_with", "replace",
        "get_or_insert", "get_or_insert_with", NULL},
    [HF_SOURCE_GROWER] = (const char *const[]){"append", "push_str", "resize", "reserve", "assign",
        "extend_from_slice", "write_fmt", "reserve_exact", NULL},
    [HF_SOURCE_MEASURE] = (const char *const[]){NULL},
    [HF_SOURCE_GETTER] = (const char *const[]){"get", "find", "at", "front", "back", "begin", "end",
        "entry", "get_mut", "iter_mut", "first", "last", "last_mut", "first_mut", "top",
        "or_insert", "or_insert_with", "or_default", "get_or_init", "lock", "unwrap", "borrow_mut",
        "write", "read", "as_mut", "as_ref", "expect", "iter", "values", "values_mut", "data",
        "value", NULL},
    [HF_SOURCE_BLOCKING] =
        (const char *const[]){"-", "*", "/", "%", "<", ">", "==", "!=", "<=", ">=", "!", "?", "++",
            "--", "<=>", "&", "^", "|", "||", "&&", "<<", ">>", "~", "+", "..", NULL},
    [HF_SOURCE_BLOCKING_BEFORE] = (const char *const[]){"if", "while", "switch", "match", "sizeof",
        "delete", "case", "in", "not", "throw", NULL},
    [HF_SOURCE_BLOCKING_BEHIND] = (const char *const[]){"as", "and", "or", NULL},
    [HF_SOURCE_LEAVING] = (const char *const[]){"return", "co_return", "co_yield", NULL},
    [HF_SOURCE_NOTHING] =
        (const char *const[]){"NULL", "nullptr", "nullopt", "None", "true", "false", NULL},
    [HF_SOURCE_DECLARING] = (const char *const[]){"let", "mut", "ref", NULL},
    [HF_SOURCE_COUNTED] = (const char *const[]){"Rc", "Arc", NULL},
};

bool hf_source_means(
    const struct hf_source_tokens *tokens, uint32_t at, enum hf_source_meaning meaning)
{
    const char *const *words =
        hf_source_is_compiled(tokens->language) ? compiled_meanings[meaning] : meanings[meaning];
    return hf_source_is_any_word(tokens, at, words) || hf_source_is_any_sign(tokens, at, words);
}
