// A map of strings to strings, with long values.
#include <map>
#include <string>

class Registry {
  public:
    void record(int key);

  private:
    std::map<std::string, std::string> entries;
};

[[gnu::noinline]] void Registry::record(int key)
{
    entries["entry number " + std::to_string(key)] = std::string(700, 'v'); // guilty
}

[[gnu::noinline]] static void warm_up(std::string &text)
{
    text.assign(3000000, 'w');
}

int main()
{
    auto *registry = new Registry;
    auto *text = new std::string;
    warm_up(*text);
    for (int i = 0; i < 80000; i++)
        registry->record(i);
}
