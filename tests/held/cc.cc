/*
 * Shapes in which programs in C++ keep memory, or lose it, one a word (README.md). Every operator
 * new is noted, so containers need not know.
 */
#include "ledger.h"

#include <any>
#include <array>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <variant>
#include <vector>

#define NOINLINE [[gnu::noinline]]

NOINLINE void *operator new(size_t size)
{
    return ledger_new(size);
}
NOINLINE void *operator new(size_t size, std::align_val_t alignment)
{
    size_t align = static_cast<size_t>(alignment), whole = (size + align - 1) / align * align;
    void *block = std::memset(std::aligned_alloc(align, whole), 0, size);
    ledger_note(block, size);
    return block;
}
NOINLINE void operator delete(void *block, size_t, std::align_val_t) noexcept
{
    ledger_free(block);
}
NOINLINE void *operator new[](size_t size)
{
    return ledger_new(size);
}
NOINLINE void operator delete[](void *block) noexcept
{
    ledger_free(block);
}
NOINLINE void operator delete(void *block) noexcept
{
    ledger_free(block);
}
NOINLINE void operator delete(void *block, size_t) noexcept
{
    ledger_free(block);
}

static size_t kept_size(int i)
{
    return 64 + static_cast<size_t>(i) * 7919 % 1900;
}
static size_t lost_size(int i)
{
    return 2100 + static_cast<size_t>(i) * 7919 % 1900;
}
static std::string text(int i)
{
    return std::string(kept_size(i), 'x');
}

namespace held
{
std::vector<std::string> others;
NOINLINE void keep_others(int count)
{
    ledger_owner("data:others");
    others.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; i++)
        others.push_back(text(i));
}

// ---- Containers ----

std::map<int, std::string> by_number;
NOINLINE void fill_map(int count)
{
    ledger_owner("data:by_number");
    for (int i = 0; i < count; i++)
        by_number[i * 31 % count] = text(i);
}

std::unordered_map<std::string, std::string> by_name;
NOINLINE void fill_unordered(int count)
{
    ledger_owner("data:by_name");
    for (int i = 0; i < count; i++)
        by_name["a name that is not short " + std::to_string(i)] = text(i);
}

std::multiset<std::string> sorted;
NOINLINE void fill_multiset(int count)
{
    ledger_owner("data:sorted");
    for (int i = 0; i < count; i++)
        sorted.insert(text(i % 500));
}

std::list<std::string> recent;
NOINLINE void fill_list(int count)
{
    ledger_owner("data:recent");
    for (int i = 0; i < count; i++)
        recent.push_back(text(i));
}

std::forward_list<std::string> backlog;
NOINLINE void fill_forward_list(int count)
{
    ledger_owner("data:backlog");
    for (int i = 0; i < count; i++)
        backlog.push_front(text(i));
}

std::deque<std::unique_ptr<std::string>> queue;
NOINLINE void fill_deque(int count)
{
    ledger_owner("data:queue");
    for (int i = 0; i < 2 * count; i++) {
        queue.push_back(std::make_unique<std::string>(text(i)));
        if (i >= count)
            queue.pop_front();
    }
}

std::vector<std::string *> pointers;
NOINLINE void fill_vector(int count)
{
    ledger_owner("data:pointers");
    for (int i = 0; i < count; i++)
        pointers.push_back(new std::string(text(i)));
}

std::vector<std::vector<size_t>> evens, odds; // full ones, in turns: the end of one may be the next one's start
NOINLINE void fill_nested(int count)
{
    for (int i = 0; i < count; i++) {
        ledger_owner(i % 2 == 0 ? "data:evens" : "data:odds");
        (i % 2 == 0 ? evens : odds).emplace_back(static_cast<size_t>(16) << i / 2 % 4, 7);
    }
    ledger_owner("data:others");
    keep_others(count);
}

struct Cache {
    std::list<std::pair<int, std::string>> order;
    std::unordered_map<int, std::list<std::pair<int, std::string>>::iterator> places;
    void put(int key, size_t most)
    {
        order.emplace_front(key, text(key));
        places[key] = order.begin();
        if (order.size() > most) {
            places.erase(order.back().first);
            order.pop_back();
        }
    }
    Cache *get(int key)
    {
        auto found = places.find(key);
        if (found != places.end())
            order.splice(order.begin(), order, found->second);
        return this;
    }
} lru;
NOINLINE void fill_lru(int count)
{
    ledger_owner("data:lru");
    for (int i = 0; i < 2 * count; i++)
        lru.get(i * 7 % (i + 1))->put(i, static_cast<size_t>(count));
}

struct Registry {
    std::map<int, std::string> all;
    static Registry &instance()
    {
        static Registry one;
        return one;
    }
};
NOINLINE void fill_function_static(int count)
{
    ledger_owner("data:one");
    for (int i = 0; i < count; i++)
        Registry::instance().all[i] = text(i);
}

// Hash array mapped tries: a bit for each child that is there.
struct Trie {
    uint32_t bits = 0;
    std::vector<Trie *> children;
    std::string value;
};
Trie trie;
NOINLINE void fill_trie(int count)
{
    ledger_owner("data:trie");
    for (int i = 0; i < count; i++) {
        Trie *at = &trie;
        for (uint32_t hash = static_cast<uint32_t>(i) * 2654435761u, level = 0; level < 3; level++, hash >>= 5) {
            uint32_t bit = 1u << hash % 32, place = static_cast<uint32_t>(__builtin_popcount(at->bits & (bit - 1)));
            if (!(at->bits & bit)) {
                at->children.insert(at->children.begin() + place, new Trie);
                at->bits |= bit;
            }
            at = at->children[place];
        }
        at->value = text(i);
    }
}

std::vector<std::string> shorts; // what is short lies in the objects
NOINLINE void fill_short_strings(int count)
{
    ledger_owner("data:shorts");
    for (int i = 0; i < 40 * count; i++)
        shorts.push_back("k" + std::to_string(i));
    for (int i = 0; i < count; i++)
        shorts[static_cast<size_t>(i)] = text(i);
}

struct Mail {
    std::string from;
    std::vector<std::string> lines;
};
std::vector<std::optional<std::variant<int, Mail>>> mails;
NOINLINE void fill_variants(int count)
{
    ledger_owner("data:mails");
    for (int i = 0; i < count; i++)
        mails.emplace_back(Mail{text(i), {text(i + 1), text(i + 2)}});
}

std::vector<std::any> anything;
NOINLINE void fill_any(int count)
{
    ledger_owner("data:anything");
    for (int i = 0; i < count; i++)
        anything.emplace_back(text(i));
}

std::vector<std::function<size_t()>> actions;
NOINLINE void fill_functions(int count)
{
    ledger_owner("data:actions");
    for (int i = 0; i < count; i++)
        actions.emplace_back([kept = text(i), more = text(i + 1)] { return kept.size() + more.size(); });
}

// ---- Objects ----

struct First {
    virtual ~First() = default;
    long numbers[4];
};
struct Second {
    virtual ~Second() = default;
    std::string name;
};
struct Both : First, Second {
    std::string more;
};
std::vector<Second *> seconds; // each points into the middle of its object
NOINLINE void fill_bases(int count)
{
    ledger_owner("data:seconds");
    for (int i = 0; i < count; i++) {
        auto *both = new Both;
        both->name = text(i);
        both->more = text(i + 7);
        seconds.push_back(both);
    }
}

struct Engine {
    std::string fuel;
};
struct Car {
    struct Hidden {
        std::unique_ptr<Engine> engine;
    };
    std::unique_ptr<Hidden> hidden;
};
std::vector<Car> cars;
NOINLINE void fill_hidden(int count)
{
    ledger_owner("data:cars");
    for (int i = 0; i < count; i++)
        cars.push_back({std::make_unique<Car::Hidden>(Car::Hidden{std::make_unique<Engine>(Engine{text(i)})})});
}

Both *arrays_of_objects; // behind the count that delete[] needs
NOINLINE void fill_object_array(int count)
{
    ledger_owner("data:arrays_of_objects");
    arrays_of_objects = new Both[static_cast<size_t>(count)];
    for (int i = 0; i < count; i++)
        arrays_of_objects[i].name = text(i);
}

struct Peer {
    std::shared_ptr<Peer> other;
    std::string name;
};
std::vector<std::shared_ptr<Peer>> peers;
NOINLINE void fill_cycles(int count)
{
    ledger_owner("data:peers");
    for (int i = 0; i < count; i++) {
        auto a = std::make_shared<Peer>(), b = std::make_shared<Peer>();
        *a = {b, text(i)};
        *b = {a, text(i + 1)};
        peers.push_back(a);
    }
}

std::vector<std::weak_ptr<std::array<char, 1000>>> watched; // the memory of an object that is no more
NOINLINE void fill_weak(int count)
{
    ledger_owner("data:watched");
    for (int i = 0; i < count; i++)
        watched.push_back(std::make_shared<std::array<char, 1000>>());
}

constexpr size_t HEAD_OF_EXCEPTION = 128; // of the C++ library; malloc's, so operator new does not see it
std::vector<std::exception_ptr> failures;
NOINLINE void fill_exceptions(int count)
{
    ledger_owner("data:failures");
    for (int i = 0; i < count; i++) {
        failures.push_back(std::make_exception_ptr(std::runtime_error(text(i))));
        char *object;
        std::memcpy(&object, &failures.back(), sizeof object);
        ledger_note(object - HEAD_OF_EXCEPTION, HEAD_OF_EXCEPTION + sizeof(std::runtime_error));
    }
}

std::vector<std::future<std::string>> results;
NOINLINE void fill_futures(int count)
{
    ledger_owner("data:results");
    for (int i = 0; i < count; i++) {
        std::promise<std::string> promise;
        results.push_back(promise.get_future());
        promise.set_value(text(i));
    }
}

std::pmr::monotonic_buffer_resource *pool;
std::pmr::vector<std::pmr::string> *pooled;
NOINLINE void fill_pool(int count)
{
    ledger_owner("data:pool+pooled");
    pool = new std::pmr::monotonic_buffer_resource(1 << 16);
    pooled = new (pool->allocate(sizeof *pooled)) std::pmr::vector<std::pmr::string>(pool);
    for (int i = 0; i < count; i++)
        pooled->emplace_back(text(i));
    ledger_owner("data:others"); // of 10,000 blocks
    keep_others(count);
}

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
Task converse(int i)
{
    std::string mine = text(i);
    auto more = std::make_unique<std::string>(text(i + 1));
    co_await std::suspend_always{};
    mine += *more;
}
std::vector<Task> suspended;
NOINLINE void fill_coroutines(int count)
{
    ledger_owner("data:suspended");
    for (int i = 0; i < count; i++)
        suspended.push_back(converse(i));
}

thread_local std::map<int, std::string> of_thread;
NOINLINE void fill_thread_local(int count)
{
    ledger_owner("thread_local:of_thread");
    for (int i = 0; i < count; i++)
        of_thread[i] = text(i);
}

NOINLINE void fill_local(int count)
{
    ledger_owner("stack:fill_local");
    std::unordered_map<int, std::string> local;
    for (int i = 0; i < count; i++)
        local[i] = text(i);
    ledger_ready();
    _exit(local.empty());
}

template <class Key> struct Interned {
    static inline std::set<Key> all;
};
NOINLINE void fill_template_static(int count)
{
    ledger_owner("data:all");
    for (int i = 0; i < count; i++)
        Interned<std::string>::all.insert(text(i % 1900) + std::to_string(i));
}

// ---- Lost ----

NOINLINE void lose_cycles(int count)
{
    keep_others(count);
    ledger_owner("lost*");
    for (int i = 0; i < count; i++) {
        auto a = std::make_shared<Peer>(), b = std::make_shared<Peer>();
        *a = {b, std::string(lost_size(i), 'l')};
        *b = {a, std::string(lost_size(i), 'm')};
    }
}

NOINLINE void lose_released(int count)
{
    keep_others(count);
    for (int i = 0; i < count; i++) {
        auto text = std::make_unique<std::array<std::string, 80>>();
        ledger_forget(text.get());
        ledger_owner("lost");
        ledger_note(text.get(), sizeof *text);
        ledger_owner("lost_with");
        (*text)[0] = std::string(lost_size(i), 'l');
        ledger_owner("lost");
        text.release();
    }
}

// A list whose destructor never ran.
NOINLINE void lose_list(int count)
{
    keep_others(count);
    ledger_owner("lost*");
    auto *list = new std::list<std::string>;
    for (int i = 0; i < count; i++)
        list->push_back(std::string(lost_size(i), 'l'));
}
} // namespace held

int main(int count, char **words)
{
    static const ledger_shape shapes[] = {
        {"map", "", held::fill_map},
        {"unordered_map", "", held::fill_unordered},
        {"multiset", "", held::fill_multiset},
        {"std_list", "list", held::fill_list},
        {"forward_list", "list", held::fill_forward_list},
        {"deque", "", held::fill_deque},
        {"vector_of_pointers", "", held::fill_vector},
        {"nested_vectors", "", held::fill_nested},
        {"lru", "", held::fill_lru},
        {"singleton", "", held::fill_function_static},
        {"template_static", "", held::fill_template_static},
        {"bitmap_trie", "", held::fill_trie},
        {"short_strings", "", held::fill_short_strings},
        {"variant", "", held::fill_variants},
        {"any", "", held::fill_any},
        {"function", "", held::fill_functions},
        {"second_base", "", held::fill_bases},
        {"pimpl", "", held::fill_hidden},
        {"object_array", "", held::fill_object_array},
        {"shared_cycle", "", held::fill_cycles},
        {"weak", "", held::fill_weak},
        {"exceptions", "", held::fill_exceptions},
        {"futures", "", held::fill_futures},
        {"pmr_pool", "", held::fill_pool},
        {"coroutines", "", held::fill_coroutines},
        {"thread_local", "", held::fill_thread_local},
        {"local_map", "", held::fill_local},
        {"lost_shared_cycle", "", held::lose_cycles},
        {"lost_released", "", held::lose_released},
        {"lost_std_list", "list", held::lose_list},
        {nullptr, nullptr, nullptr},
    };
    return ledger_main(shapes, count, words);
}
