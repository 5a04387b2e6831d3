/* Short names: what a person calls a function, of what the demangler says. */
#include "base/limits.h"
#include "check.h"
#include "symbol/names/demangle.h"
#include "symbol/names/shortname.h"

struct row {
    const char *full, *expected;
};

static const struct row cpp_names[] = {
    {"main", "main"},
    {"foo(int)", "foo"},
    {"foo()", "foo"},
    {"ns::foo(int, char const*)", "ns::foo"},
    {"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"},
    {"std::map<int, std::vector<A<(B)1> > >::at(int const&) const", "std::map::at"},
    {"Foo::Foo(Foo&&)", "Foo::Foo"},
    {"Foo<int>::~Foo()", "Foo::~Foo"},
    {"Foo::get() const", "Foo::get"},
    {"Foo::get() const &", "Foo::get"},
    {"Foo::get() volatile &&", "Foo::get"},
    /* Functions of templates have a return type. */
    {"void run<Job>(Job*)", "run"},
    {"unsigned long count<int>(int)", "count"},
    {"std::vector<int> const& get<int>()", "get"},
    {"std::enable_if<((1)>(0)), int>::type pick<int>(int)", "pick"},
    {"decltype (f((A*)(0))) call<A>(A)", "call"},
    {"decltype(nullptr) none<int>()", "none"},
    {"void (*handler<int>(int))(char)", "handler"},
    {"void apply<&(Foo::bar(int))>(Foo*)", "apply"},
    {"auto foo<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
        "foo::{lambda(auto:1)#1}::operator()"},
    /* Namespaces without a name. */
    {"(anonymous namespace)::run(int)", "(anonymous namespace)::run"},
    {"void (anonymous namespace)::run<Job>(Job*)", "(anonymous namespace)::run"},
    {"a::(anonymous namespace)::B<int>::c(d::(anonymous namespace)::E)",
        "a::(anonymous namespace)::B::c"},
    /* Operators. */
    {"operator<(Key const&, Key const&)", "operator<"},
    {"bool operator< <int>(Stack<int> const&, Stack<int> const&)", "operator<"},
    {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"},
    {"Foo::operator->() const", "Foo::operator->"},
    {"Foo::operator->*(int) const", "Foo::operator->*"},
    {"Foo::operator<=>(Foo const&) const", "Foo::operator<=>"},
    {"Foo<int>::operator>>=(int)", "Foo::operator>>="},
    {"Foo::operator()(int) const", "Foo::operator()"},
    {"void Foo::operator()<int>(int) const", "Foo::operator()"},
    {"Foo::operator[](unsigned long)", "Foo::operator[]"},
    {"Foo::operator==(Foo const&) const", "Foo::operator=="},
    {"Foo::operator,(Foo const&)", "Foo::operator,"},
    {"Foo::operator&&(bool)", "Foo::operator&&"},
    {"operator\"\" _km(long double)", "operator\"\" _km"},
    {"operator new(unsigned long)", "operator new"},
    {"operator new[](unsigned long, std::nothrow_t const&)", "operator new[]"},
    {"Foo::operator delete(void*)", "Foo::operator delete"},
    /* Conversions. */
    {"Foo::operator bool() const", "Foo::operator bool"},
    {"Foo::operator char const*() const", "Foo::operator char const*"},
    {"Foo::operator std::vector<int, A<int> >()", "Foo::operator std::vector"},
    {"Foo::operator void (*)(int)() const", "Foo::operator void (*)(int)"},
    {"operator_like(int)", "operator_like"},
    {"my_operator<int>(int)", "my_operator"},
    /* Lambdas and other local things. */
    {"foo(int)::{lambda(char)#1}::operator()(char) const", "foo::{lambda(char)#1}::operator()"},
    {"foo() const::{lambda()#2}::operator()() const", "foo::{lambda()#2}::operator()"},
    {"main::{lambda(int)#1}::_FUN(int)", "main::{lambda(int)#1}::_FUN"},
    {"foo(int)::Local::bar()", "foo::Local::bar"},
    {"std::_Function_handler<int (int), main::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, "
     "int&&)",
        "std::_Function_handler::_M_invoke"},
    {"std::sort<A, bool (*)(A, A)>(A, A, bool (*)(A, A))", "std::sort"},
    {"Foo<&operator< >::bar()", "Foo::bar"},
    {"Foo<(char)62>::bar()", "Foo::bar"},
    /* What the compiler and the linker add. */
    {"foo(int) [clone .cold]", "foo"},
    {"foo(int) const [clone .part.0] [clone .cold]", "foo"},
    {"foo [clone .isra.0]", "foo"},
    {"get[abi:cxx11](int)", "get[abi:cxx11]"},
    {"non-virtual thunk to Foo::bar(int)", "non-virtual thunk to Foo::bar"},
    {"virtual thunk to Foo<int>::~Foo()", "virtual thunk to Foo::~Foo"},
    {"TLS init function for foo", "TLS init function for foo"},
    {"_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main"},
};

static const struct row rust_names[] = {
    {"alloc::vec::Vec<T>::push", "alloc::vec::Vec::push"},
    {"alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push"},
    {"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend",
        "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend"},
    {"<std::path::PathBuf>::new", "<std::path::PathBuf>::new"},
    {"core::mem::align_of::<f64>", "core::mem::align_of"},
    {"core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place"},
    {"core::ptr::drop_in_place::<dyn core::ops::Fn() -> i32>", "core::ptr::drop_in_place"},
    {"server::main::{{closure}}", "server::main::{{closure}}"},
    {"server::main::{closure#0}", "server::main::{closure#0}"},
    {"core::ops::function::FnOnce::call_once{{vtable.shim}}",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}"},
    {"core::num::<impl core::str::FromStr for u32>::from_str",
        "core::num::<impl core::str::FromStr for u32>::from_str"},
};

/* Go's receivers stand in parentheses as parameters do, but they are the name. */
static const struct row go_names[] = {
    {"main.(*T).Get", "main.(*T).Get"}, {"main.(*U).Put", "main.(*U).Put"},
    {"net/http.(*conn).serve", "net/http.(*conn).serve"}, {"main.(*T).Get(...)", "main.(*T).Get"},
    {"main.(*T).Get(0xc000012345, 0x1)", "main.(*T).Get"},
    {"main.(*T).Get.func1", "main.(*T).Get.func1"}, {"main.(*T).Get-fm", "main.(*T).Get-fm"},
    {"main.(*List[go.shape.int]).Push", "main.(*List[go.shape.int]).Push"},
    {"main.(*List[...]).Push", "main.(*List[...]).Push"},
    {"gopkg.in/yaml%2ev3.(*parser).parse", "gopkg.in/yaml%2ev3.(*parser).parse"},
    {"go.(*struct { sync.Mutex; main.n int }).Lock",
        "go.(*struct { sync.Mutex; main.n int }).Lock"},
    {"main.Map[go.shape.func(int) string]", "main.Map[go.shape.func(int) string]"},
    {"main.main", "main.main"}, {"main.glob..func1", "main.glob..func1"},
    {"type:.eq.struct { F uintptr; X int }", "type:.eq.struct { F uintptr; X int }"},
    {"foo.(int)", "foo."}, /* an odd name of C: nothing follows */
};

/* Runtimes write a kind, a colon, and what it is; of a frame of Python the kind is "py::". */
static const struct row runtime_names[] = {
    {"LazyCompile:~serve /srv/my app/server.js:12", "LazyCompile:~serve /srv/my app/server.js:12"},
    {"JS:*get (anonymous) file:///a.mjs:3:7", "JS:*get (anonymous) file:///a.mjs:3:7"},
    {"RegExp:[&<>\"']", "RegExp:[&<>\"']"},
    {"Builtin:ArgumentsAdaptorTrampoline", "Builtin:ArgumentsAdaptorTrampoline"},
    {"py::<module>:/srv/a.py", "py::<module>:/srv/a.py"},
    {"py::<lambda>:/srv/a.py", "py::<lambda>:/srv/a.py"},
    {"-[NSString initWithFormat:arguments:]", "-[NSString initWithFormat:arguments:]"},
    {"Lorg/a/B;::<init>", "Lorg/a/B;::<init>"}, {"Lorg/a/B;.<clinit>()V", "Lorg/a/B;.<clinit>"},
    {"Lorg/a/B;.call(Lorg/a/C;)Ljava/lang/Object;", "Lorg/a/B;.call"},
    {"a::b:c(int)", "a::b:c"}, /* no kind */
};

/* A name that does not balance stays what it is, and nothing becomes nothing. */
static const struct row odd_names[] = {
    {"", ""},
    {" ", " "},
    {"foo(", "foo("},
    {"foo<int", "foo<int"},
    {"foo{", "foo{"},
    {"foo<int>[[", "foo<int>[["},
    {"foo)", "foo)"},
    {"(", "("},
    {"()", "()"},
    {"::", "::"},
    {"operator", "operator"},
    {"vtable for ", "vtable for "},
    {"a b c", "c"},
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hf_out out = {0};
        check_case = rows[i].full;
        hf_short_name(hf_text_of(rows[i].full), &out);
        check_out(&out, rows[i].expected);
        hf_out_done(&out);
    }
}

static void shortens_cpp(void **state)
{
    (void)state;
    check_rows(cpp_names, HF_COUNT(cpp_names));
}

static void shortens_rust(void **state)
{
    (void)state;
    check_rows(rust_names, HF_COUNT(rust_names));
}

static void keeps_receivers_of_go(void **state)
{
    (void)state;
    check_rows(go_names, HF_COUNT(go_names));
}

static void keeps_names_of_runtimes(void **state)
{
    (void)state;
    check_rows(runtime_names, HF_COUNT(runtime_names));
}

static void keeps_odd_names(void **state)
{
    (void)state;
    check_rows(odd_names, HF_COUNT(odd_names));
}

static void demangles(void **state)
{
    static const struct {
        const char *mangled, *full, *short_name;
    } rows[] = {
        {"main", "main", "main"},
        {"malloc@@GLIBC_2.2.5", "malloc", "malloc"},
        {"@odd", "@odd", "@odd"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi",
            "std::vector<int, std::allocator<int> >::push_back(int const&)",
            "std::vector::push_back"},
        {"_ZN12_GLOBAL__N_13runI3JobEEvPT_", "void (anonymous namespace)::run<Job>(Job*)",
            "(anonymous namespace)::run"},
        {"_ZZ4mainENKUlicE0_clEic", "main::{lambda(int, char)#2}::operator()(int, char) const",
            "main::{lambda(int, char)#2}::operator()"},
        {"_ZN3FoocvPKcEv", "Foo::operator char const*()", "Foo::operator char const*"},
        {"_ZN3foo3barEv.cold.12", "foo::bar() [clone .cold.12]", "foo::bar"},
        {"_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<T>::push",
            "alloc::vec::Vec::push"},
        {"_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
            "<std::path::PathBuf>::new", "<std::path::PathBuf>::new"},
        {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", "std::mem::align_of"},
        {"_Znot_mangled", "_Znot_mangled", "_Znot_mangled"},
        {"_Z", "_Z", "_Z"},
        {"_R", "_R", "_R"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_out out = {0};
        check_case = rows[i].mangled;
        hf_demangle(hf_text_of(rows[i].mangled), true, &out);
        check_out(&out, rows[i].full);
        hf_demangle(hf_text_of(rows[i].mangled), false, &out);
        check_out(&out, rows[i].short_name);
        hf_out_done(&out);
    }
}

#define LEVELS 16

/* Each level holds the one below twice: P<P<X, X>, P<X, X>> ... */
static void put_twice_as_long(struct hf_out *mangled, int levels)
{
    hf_out_string(mangled, "_Z1f1PI");
    for (int i = 1; i < levels; i++)
        hf_out_string(mangled, "S_I");
    hf_out_string(mangled, "1X");
    for (int i = 0; i < levels; i++)
        hf_out_printf(mangled, "S%c_E", i < 10 ? '0' + i : 'A' + i - 10);
}

/* Names beyond the caps stay mangled, and take no time. */
static void keeps_names_beyond_the_caps(void **state)
{
    (void)state;
    struct hf_out mangled = {0}, out = {0};
    hf_out_printf(&mangled, "_Z%u", HF_LIMIT_DEMANGLE_INPUT);
    for (size_t i = 0; i < HF_LIMIT_DEMANGLE_INPUT; i++)
        hf_out_char(&mangled, 'a');
    hf_out_char(&mangled, 'v');
    hf_demangle(hf_out_view(&mangled), true, &out);
    assert_true(hf_text_equal(hf_out_view(&out), hf_out_view(&mangled)));

    /* C++ names are read up to HF_LIMIT_DEMANGLE_DEEP, at any depth. */
    mangled.size = out.size = 0;
    hf_out_string(&mangled, "_Z1f");
    while (mangled.size < HF_LIMIT_DEMANGLE_DEEP - 1)
        hf_out_char(&mangled, 'P');
    hf_out_char(&mangled, 'i');
    hf_demangle(hf_out_view(&mangled), false, &out);
    assert_true(hf_text_equal(hf_out_view(&out), hf_out_view(&mangled))); /* too deep to print */
    mangled.size = out.size = 0;
    hf_out_printf(&mangled, "_ZN%u", 3000);
    for (size_t i = 0; i < 3000; i++)
        hf_out_char(&mangled, 'a');
    hf_out_string(&mangled, "1fEi");
    hf_demangle(hf_out_view(&mangled), false, &out);
    assert_int_equal(out.size, 3003);

    /* Beyond HF_LIMIT_DEMANGLE_OUTPUT, of a short name; and longer than any that was seen. */
    mangled.size = out.size = 0;
    put_twice_as_long(&mangled, LEVELS);
    hf_demangle(hf_out_view(&mangled), true, &out);
    assert_true(hf_text_equal(hf_out_view(&out), hf_out_view(&mangled)));
    mangled.size = out.size = 0;
    put_twice_as_long(&mangled, 14);
    hf_demangle(hf_out_view(&mangled), true, &out);
    assert_in_range(out.size, 80000, HF_LIMIT_DEMANGLE_OUTPUT);
    assert_true(hf_text_starts(hf_out_view(&out), "f(P<P<"));

    /* Each type is twice the one before: a parameter list of 2^36 bytes in 300. */
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    mangled.size = out.size = 0;
    hf_out_string(&mangled, "_Z1f1AIiiE");
    for (size_t i = 0; i + 1 < sizeof digits; i++)
        hf_out_printf(&mangled, "S_IS%c_S%c_E", digits[i], digits[i]);
    hf_demangle(hf_out_view(&mangled), true, &out);
    assert_true(hf_text_equal(hf_out_view(&out), hf_out_view(&mangled)));
    hf_out_done(&mangled);
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortens_cpp),
        cmocka_unit_test(shortens_rust),
        cmocka_unit_test(keeps_receivers_of_go),
        cmocka_unit_test(keeps_names_of_runtimes),
        cmocka_unit_test(keeps_odd_names),
        cmocka_unit_test(demangles),
        cmocka_unit_test(keeps_names_beyond_the_caps),
    };
    return cmocka_run_group_tests_name("shortname", tests, NULL, NULL);
}
