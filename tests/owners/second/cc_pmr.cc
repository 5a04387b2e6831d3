// Tokens in a monotonic buffer that is never released.
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <vector>

class Tokenizer {
  public:
    Tokenizer() : tokens(&memory)
    {
    }
    __attribute__((noinline)) void tokenize(const char *text)
    {
        const char *start = text;
        for (;; text++) {
            if (*text != ' ' && *text != 0)
                continue;
            tokens.emplace_back(start, text); // guilty
            if (*text == 0)
                break;
            start = text + 1;
        }
    }
    std::size_t size() const
    {
        return tokens.size();
    }

  private:
    std::pmr::monotonic_buffer_resource memory;
    std::pmr::vector<std::pmr::string> tokens;
};

__attribute__((noinline)) static std::string make_text()
{
    std::string text;
    for (int i = 0; i < 1000; i++)
        text += "a-rather-long-word-number-" + std::to_string(i) + (i < 999 ? " " : "");
    return text;
}

int main()
{
    Tokenizer *tokenizer = new Tokenizer;
    std::string text = make_text();
    for (int i = 0; i < 500; i++)
        tokenizer->tokenize(text.c_str());
    std::printf("%zu\n", tokenizer->size());
    std::_Exit(0);
}
