// Loses blocks of prime sizes below C++ names: templates, operators, lambdas, std::function, anonymous namespaces.
#include <cstddef>
#include <functional>

#define NOT_INLINED __attribute__((noinline))

static volatile std::size_t sink;

static void lose(const void *block) { sink = sink ^ reinterpret_cast<std::size_t>(block); }

namespace box {
namespace {
template <class T, int N> struct Stack {
    NOT_INLINED void push() { lose(new T[N]); }
};

struct Key {
    int value;
    NOT_INLINED bool operator<(const Key &other) const
    {
        lose(new char[17]);
        return value < other.value;
    }
    NOT_INLINED void operator()(int size) const { lose(::operator new(static_cast<std::size_t>(size))); }
};
} // namespace
} // namespace box

NOT_INLINED static void run(const std::function<void(int)> &work)
{
    for (int i = 0; i < 3; i++)
        work(29);
}

NOT_INLINED static void wipe()
{
    volatile char stack[8192];
    for (std::size_t i = 0; i < sizeof stack; i++)
        stack[i] = 0;
}

// 5 x 8 bytes, 17, 19, 3 x 29
int main()
{
    box::Stack<long, 5> stack;
    stack.push();
    box::Key a{1}, b{2};
    if (a < b)
        a(19);
    run([](int size) { lose(new char[static_cast<std::size_t>(size)]); });
    wipe();
    sink = 1;
}
