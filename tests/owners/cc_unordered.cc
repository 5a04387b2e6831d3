// An unordered_map as a cache that forgets nothing; keys are small, so its nodes are most of it.
#include <cstdint>
#include <unordered_map>
#include <vector>

struct Page {
    std::uint64_t words[40];
};

class Cache {
  public:
    Page &put(std::uint64_t key);

  private:
    std::unordered_map<std::uint64_t, Page> pages;
};

[[gnu::noinline]] Page &Cache::put(std::uint64_t key)
{
    return pages.try_emplace(key).first->second; // guilty
}

[[gnu::noinline]] static void fill(Page &page)
{
    page.words[0] = 1;
}

int main()
{
    auto *cache = new Cache;
    for (std::uint64_t i = 0; i < 200000; i++)
        fill(cache->put(i * 977));
}
