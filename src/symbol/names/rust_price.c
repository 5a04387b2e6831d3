#include "base/limits.h"
#include "symbol/names/demangle_price.h"

#include <stdlib.h>

#define STEPS_A_PART 60
#define PRICE_MAX (HF_LIMIT_DEMANGLE_STEPS / STEPS_A_PART)
#define DEPTH_MAX 1024 /* libiberty's own, RUST_MAX_RECURSION_COUNT */

/* What starts at a byte of the name, once it is read; a path may stand for a type. */
enum rust_price_kind { NOTHING = 0, PATH = 1, TYPE = 2, CONST = 4 };

struct known {
    uint32_t price; /* in parts */
    uint32_t kinds; /* enum rust_price_kind */
};

struct rust_price_reader {
    struct hf_text name; /* behind "_R" */
    size_t at;
    unsigned depth;
    bool is_wrong; /* from here on nothing is read */
    struct known *known;
};

static uint64_t path(struct rust_price_reader *r);
static uint64_t type(struct rust_price_reader *r);

/* The next byte; 0 at the end. */
static char peek(const struct rust_price_reader *r)
{
    return r->at < r->name.size && !r->is_wrong ? r->name.data[r->at] : '\0';
}

static char rust_price_next(struct rust_price_reader *r)
{
    char c = peek(r);
    r->at += c != '\0';
    r->is_wrong = r->is_wrong || c == '\0';
    return c;
}

static bool rust_price_take(struct rust_price_reader *r, char c)
{
    bool is = peek(r) == c;
    r->at += is;
    return is;
}

static bool rust_price_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* <base-62-number>; one that is not below PRICE_MAX is wrong. */
static uint64_t rust_price_number(struct rust_price_reader *r)
{
    uint64_t value = 0;
    if (rust_price_take(r, '_'))
        return 0;
    while (!rust_price_take(r, '_')) {
        char c = rust_price_next(r);
        value *= 62;
        if (rust_price_is_digit(c))
            value += (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'z')
            value += (uint64_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'Z')
            value += (uint64_t)(c - 'A') + 36;
        else
            r->is_wrong = true;
        if (r->is_wrong || value >= PRICE_MAX) {
            r->is_wrong = true;
            return 0;
        }
    }
    return value + 1;
}

/* The same, of which only the end matters: hashes are large. */
static void skip_number(struct rust_price_reader *r)
{
    while (rust_price_next(r) != '_' && !r->is_wrong)
        ;
}

static void skip_disambiguator(struct rust_price_reader *r)
{
    if (rust_price_take(r, 's'))
        skip_number(r);
}

/* <undisambiguated-identifier> */
static uint64_t identifier(struct rust_price_reader *r)
{
    bool is_punycode = rust_price_take(r, 'u');
    size_t size = 0;
    if (!rust_price_is_digit(peek(r)))
        r->is_wrong = true;
    if (!rust_price_take(r, '0')) {
        while (rust_price_is_digit(peek(r)) && size < HF_LIMIT_DEMANGLE_INPUT)
            size = size * 10 + (size_t)(rust_price_next(r) - '0');
    }
    (void)rust_price_take(r, '_');
    if (size > r->name.size - r->at) {
        r->is_wrong = true;
        return 0;
    }
    r->at += size;
    /* Each character of punycode is put in between those before it. */
    return 1 + size / 4 + (is_punycode ? size * size / 256 : 0);
}

/* <binder>: the names of so many lifetimes. */
static uint64_t binder(struct rust_price_reader *r)
{
    return rust_price_take(r, 'G') ? rust_price_number(r) + 1 : 0;
}

/* What an earlier part takes, which is meant again. */
static uint64_t back_reference(struct rust_price_reader *r, enum rust_price_kind kind)
{
    size_t start = r->at - 1, target = (size_t)rust_price_number(r);
    if (r->is_wrong || target >= start || (r->known[target].kinds & kind) == 0) {
        r->is_wrong = true;
        return 0;
    }
    return 1 + r->known[target].price;
}

static uint64_t constant(struct rust_price_reader *r)
{
    size_t start = r->at;
    char c = rust_price_next(r);
    uint64_t price = 1;
    if (c == 'B') {
        price = back_reference(r, CONST);
    } else if (c != 'p') {
        (void)rust_price_take(r, 'n');
        skip_number(r);
    }
    r->known[start] = (struct known){(uint32_t)(price < PRICE_MAX ? price : PRICE_MAX), CONST};
    return price;
}

/* <generic-arg>s or types, up to their "E". */
static uint64_t rust_price_list(struct rust_price_reader *r, bool is_generic)
{
    uint64_t price = 1;
    while (!rust_price_take(r, 'E') && !r->is_wrong) {
        if (is_generic && rust_price_take(r, 'L')) {
            skip_number(r);
            price += 1;
        } else if (is_generic && rust_price_take(r, 'K')) {
            price += constant(r);
        } else {
            price += type(r);
        }
    }
    return price;
}

static uint64_t function_type(struct rust_price_reader *r)
{
    uint64_t price = binder(r);
    (void)rust_price_take(r, 'U');
    if (rust_price_take(r, 'K') && !rust_price_take(r, 'C'))
        price += identifier(r);
    price += rust_price_list(r, false);
    return price + type(r);
}

/* <dyn-bounds> and the lifetime behind them. */
static uint64_t trait_object(struct rust_price_reader *r)
{
    uint64_t price = binder(r);
    while (!rust_price_take(r, 'E') && !r->is_wrong) {
        price += path(r);
        while (rust_price_take(r, 'p')) {
            price += identifier(r);
            price += type(r);
        }
    }
    if (rust_price_take(r, 'L'))
        skip_number(r);
    return price + 1;
}

static uint64_t type_of_tag(struct rust_price_reader *r, char tag)
{
    uint64_t price;
    switch (tag) {
    case 'R':
    case 'Q':
        if (rust_price_take(r, 'L'))
            skip_number(r);
        return 1 + type(r);
    case 'P':
    case 'O':
    case 'S': return 1 + type(r);
    case 'A': price = 1 + type(r); return price + constant(r);
    case 'T': return rust_price_list(r, false);
    case 'F': return function_type(r);
    case 'D': return trait_object(r);
    case 'B': return back_reference(r, TYPE);
    default: r->at--; return path(r);
    }
}

/* Begins a path or type; false if it is too deep. */
static bool rust_price_begin(struct rust_price_reader *r)
{
    r->is_wrong = r->is_wrong || ++r->depth > DEPTH_MAX;
    return !r->is_wrong;
}

/* Ends it; returns its price. */
static uint64_t rust_price_end(
    struct rust_price_reader *r, size_t start, uint64_t price, unsigned kinds)
{
    r->depth--;
    r->is_wrong = r->is_wrong || price >= PRICE_MAX;
    if (r->is_wrong)
        return 0;
    r->known[start].price = (uint32_t)price;
    r->known[start].kinds |= kinds;
    return price;
}

static uint64_t type(struct rust_price_reader *r)
{
    size_t start = r->at;
    uint64_t price = 1;
    if (!rust_price_begin(r))
        return 0;
    char tag = rust_price_next(r);
    if ((tag < 'a' || tag > 'z') && !r->is_wrong)
        price = type_of_tag(r, tag);
    return rust_price_end(r, start, price, TYPE);
}

/* <impl-path>, which is not printed. */
static uint64_t impl_path(struct rust_price_reader *r)
{
    skip_disambiguator(r);
    return path(r);
}

static uint64_t path_of_tag(struct rust_price_reader *r, char tag)
{
    uint64_t price = 1;
    switch (tag) {
    case 'C': skip_disambiguator(r); return price + identifier(r);
    case 'N':
        (void)rust_price_next(r); /* the namespace */
        price += path(r);
        skip_disambiguator(r);
        return price + identifier(r);
    case 'M': price += impl_path(r); return price + type(r);
    case 'X':
        price += impl_path(r);
        price += type(r);
        return price + path(r);
    case 'Y': price += type(r); return price + path(r);
    case 'I': price += path(r); return price + rust_price_list(r, true);
    case 'B': return back_reference(r, PATH);
    default: r->is_wrong = true; return 0;
    }
}

static uint64_t path(struct rust_price_reader *r)
{
    size_t start = r->at;
    if (!rust_price_begin(r))
        return 0;
    uint64_t price = path_of_tag(r, rust_price_next(r));
    return rust_price_end(r, start, price, PATH | TYPE);
}

uint64_t hf_price_of_rust(struct hf_text name)
{
    struct rust_price_reader r = {.name = hf_text_from(name, 2)};
    r.known = calloc(r.name.size + 1, sizeof *r.known);
    if (r.known == NULL)
        return HF_PRICE_TOO_MUCH;
    uint64_t price = path(&r);
    if (peek(&r) >= 'A' && peek(&r) <= 'Z')
        price += path(&r); /* the crate that it was made for, which is not printed */
    free(r.known);
    return !r.is_wrong && price < PRICE_MAX ? (price + r.name.size) * STEPS_A_PART
                                            : HF_PRICE_TOO_MUCH;
}
