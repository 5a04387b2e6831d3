// Proposes the next word: a small phrase book, from a grammar.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

const std::vector<std::string> kWho = {"the captain", "a stranger", "my neighbour", "the old queen", "nobody", "our teacher",
                                       "every child", "the last guest", "a tired nurse", "the painter"};
const std::vector<std::string> kDoes = {"remembers", "carries", "forgets", "sells", "repairs", "draws", "hides", "finds"};
const std::vector<std::string> kWhat = {"the letter", "a broken clock", "the map", "two silver spoons", "the key of the tower",
                                        "an umbrella", "a promise", "the garden"};
const std::vector<std::string> kWhere = {"in the morning", "behind the church", "without a word", "near the harbour", "twice a year",
                                         "at the end of the road", "when it rains", "under the bridge"};

struct Phrase {
    std::string text;
    std::vector<std::string> words;
};

std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> words;
    for (std::size_t from = 0; from < text.size();) {
        auto to = std::min(text.find(' ', from), text.size());
        words.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

Phrase makePhrase(const std::string &a, const std::string &b, const std::string &c, const std::string &d)
{
    Phrase p;
    p.text = a + " " + b + " " + c + " " + d;
    p.words = split(p.text);
    return p;
}

// All phrases that there are, made before the program starts, whether it asks for them or not.
const std::vector<Phrase> kBook = [] {
    std::vector<Phrase> all;
    for (const char *end : {"", " again", " , they say", " , or so", " , I think", " , of course", " , alas", " , as ever", " , perhaps"})
        for (const auto &who : kWho)
            for (const auto &does : kDoes)
                for (const auto &what : kWhat)
                    for (const auto &where : kWhere)
                        all.push_back(makePhrase(who, does, what, where + end)); // guilty
    return all;
}();

class Suggester
{
public:
    explicit Suggester(const std::string &opening)
    {
        for (const auto &word : split(opening))
            learn(word);
    }
    void learn(const std::string &word) { weights_[word] += 1; }
    std::string next(const std::string &after) const
    {
        std::map<std::string, double> votes;
        for (const auto &phrase : kBook) {
            auto at = std::find(phrase.words.begin(), phrase.words.end(), after);
            if (at != phrase.words.end() && at + 1 != phrase.words.end())
                votes[at[1]] += 1 + weight(at[1]);
        }
        auto best = std::max_element(votes.begin(), votes.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
        return best == votes.end() ? "." : best->first;
    }

private:
    double weight(const std::string &word) const
    {
        auto at = weights_.find(word);
        return at == weights_.end() ? 0 : at->second;
    }
    std::unordered_map<std::string, double> weights_;
};

} // namespace

int main()
{
    Suggester suggester("the letter of the old queen was behind the church near the garden");
    std::string line = "queen";
    for (std::string word = line; word != "." && line.size() < 120;) {
        word = suggester.next(word);
        line += " " + word;
    }
    std::printf("%zu phrases: %s\n", kBook.size(), line.c_str());
}
