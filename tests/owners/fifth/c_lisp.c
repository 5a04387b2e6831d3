/* A Lisp, small. Pure functions remember what they gave. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct obj Obj;
typedef enum { Num, Sym, Cons, Fun } Type;
struct obj {
    Type type;
    union {
        long num;
        char *sym;
        struct { Obj *car, *cdr; } c;
        struct { Obj *params, *body, *memo; } f;
    };
};

#define NIL ((Obj *)0)
#define car(o) ((o)->c.car)
#define cdr(o) ((o)->c.cdr)
#define cadr(o) car(cdr(o))
#define caddr(o) car(cdr(cdr(o)))

enum { SegmentSize = 2048 };
static Obj *segment, *spare;
static int used = SegmentSize;
static Obj *symbols, *globals;

static void heap_grow(void)
{
    segment = malloc(SegmentSize * sizeof(Obj));
    if (!segment) {
        fputs("heap exhausted\n", stderr);
        exit(70);
    }
    used = 0;
}

static Obj *alloc_obj(Type t)
{
    Obj *o;
    if (spare) {
        o = spare;
        spare = cdr(o);
    } else {
        if (used == SegmentSize)
            heap_grow();
        o = &segment[used++];
    }
    o->type = t;
    return o;
}

static Obj *cons(Obj *a, Obj *d)
{
    Obj *o = alloc_obj(Cons);
    car(o) = a;
    cdr(o) = d;
    return o;
}

static Obj *num(long n)
{
    Obj *o = alloc_obj(Num);
    o->num = n;
    return o;
}

static Obj *intern(const char *s)
{
    for (Obj *o = symbols; o; o = cdr(o))
        if (!strcmp(car(o)->sym, s))
            return car(o);
    Obj *o = alloc_obj(Sym);
    o->sym = strdup(s);
    symbols = cons(o, symbols);
    return o;
}

static Obj *read_form(const char **p)
{
    char token[64];
    int n = 0;
    while (isspace((unsigned char)**p))
        ++*p;
    if (**p == '(') {
        Obj *head = NIL, **tail = &head;
        ++*p;
        for (;;) {
            while (isspace((unsigned char)**p))
                ++*p;
            if (**p == ')' || !**p)
                break;
            *tail = cons(read_form(p), NIL);
            tail = &cdr(*tail);
        }
        ++*p;
        return head;
    }
    while (**p && !isspace((unsigned char)**p) && !strchr("()", **p) && n < 63)
        token[n++] = *(*p)++;
    token[n] = 0;
    return isdigit((unsigned char)token[0]) ? num(atol(token)) : intern(token);
}

static Obj *lookup(Obj *sym, Obj *env)
{
    for (; env; env = cdr(env))
        if (car(car(env)) == sym)
            return cdr(car(env));
    fprintf(stderr, "unbound: %s\n", sym->sym);
    exit(65);
}

static void memoize(Obj *fun, Obj *args, Obj *result)
{
    Obj *key = NIL;
    for (Obj *a = args; a; a = cdr(a))
        key = cons(num(car(a)->num), key);
    fun->f.memo = cons(cons(key, num(result->num)), fun->f.memo); /* guilty */
}

static void recycle(Obj *list)
{
    while (list) {
        Obj *next = cdr(list);
        cdr(list) = spare;
        spare = list;
        list = next;
    }
}

static long eval(Obj *x, Obj *env)
{
    if (x->type == Num)
        return x->num;
    if (x->type == Sym)
        return lookup(x, env)->num;
    const char *op = car(x)->sym;
    if (!strcmp(op, "if"))
        return eval(cadr(x), env) ? eval(caddr(x), env) : eval(caddr(cdr(x)), env);
    if (strchr("+-*<%", op[0]) && !op[1]) {
        long a = eval(cadr(x), env), b = eval(caddr(x), env);
        return op[0] == '+' ? a + b : op[0] == '-' ? a - b : op[0] == '*' ? a * b : op[0] == '%' ? a % b : a < b;
    }
    Obj *fun = lookup(car(x), globals), *inner = globals, *args = NIL, **tail = &args;
    Obj *param = fun->f.params;
    for (Obj *a = cdr(x); a; a = cdr(a), param = cdr(param)) {
        *tail = cons(num(eval(car(a), env)), NIL);
        inner = cons(cons(car(param), car(*tail)), inner);
        tail = &cdr(*tail);
    }
    long value = eval(fun->f.body, inner);
    memoize(fun, args, &(Obj){.type = Num, .num = value});
    for (Obj *b = inner; b != globals;) {
        Obj *next = cdr(b);
        recycle(cons(cdr(car(b)), NIL));
        cdr(b) = NIL, cdr(car(b)) = NIL;
        recycle(car(b));
        recycle(b);
        b = next;
    }
    recycle(args);
    return value;
}

int main(void)
{
    const char *p = "((def fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
                    " (def mix (a b) (% (+ (* a 31) b) 1000003)) (def go (n) (mix (fib n) (mix n (fib (- n 2))))))";
    for (Obj *forms = read_form(&p); forms; forms = cdr(forms)) {
        Obj *f = alloc_obj(Fun), *def = cdr(car(forms));
        f->f.params = cadr(def), f->f.body = caddr(def), f->f.memo = NIL;
        globals = cons(cons(car(def), f), globals);
    }
    const char *call = "(go 25)";
    printf("%ld\n", eval(read_form(&call), globals));
    return 0;
}
