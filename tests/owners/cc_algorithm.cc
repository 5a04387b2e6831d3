// An algorithm of the standard library that calls the program, which appends to a list.
#include <algorithm>
#include <list>
#include <numeric>
#include <string>
#include <vector>

static auto &texts = *new std::list<std::string>;

[[gnu::noinline]] static std::vector<int> numbers()
{
    std::vector<int> all(60000);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

[[gnu::noinline]] static void expand(int number)
{
    texts.emplace_back(900, static_cast<char>('a' + number % 26)); // guilty
}

int main()
{
    const std::vector<int> all = numbers();
    std::for_each(all.begin(), all.end(), expand);
}
