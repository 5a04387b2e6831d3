// Pages that are fetched by std::async; the results are never dropped.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

static std::vector<std::shared_future<std::string>> *pages;

__attribute__((noinline)) static std::string fetch_page(int number)
{
    std::string text(20000, ' '); // guilty
    text[0] = static_cast<char>(number);
    return text;
}

__attribute__((noinline)) static void request(int number)
{
    pages->push_back(std::async(std::launch::async, [number] { return fetch_page(number); }).share());
    pages->back().wait();
}

int main()
{
    pages = new std::vector<std::shared_future<std::string>>;
    for (int i = 0; i < 2500; i++)
        request(i);
    std::printf("%zu\n", pages->size());
    std::_Exit(0);
}
