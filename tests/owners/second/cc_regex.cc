// A filter that compiles a pattern for each request and keeps it.
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

class Filter {
  public:
    __attribute__((noinline)) void add_rule(const std::string &pattern)
    {
        rules.emplace_back(pattern); // guilty
    }
    __attribute__((noinline)) bool matches(const std::string &text) const
    {
        return std::regex_match(text, rules.front());
    }

  private:
    std::vector<std::regex> rules;
};

int main()
{
    Filter *filter = new Filter;
    for (int i = 0; i < 2000; i++)
        filter->add_rule("(user|admin)[0-9]+-" + std::to_string(i) + "(a|b|c)*");
    std::printf("%d\n", filter->matches("user1-0abc"));
    std::_Exit(0);
}
