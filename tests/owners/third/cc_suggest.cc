// Suggestions for a search field: two indices of one kind, of which that of the questions asked knows no end.
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

template <typename Value> class Trie {
  public:
    Value &at(std::string_view key)
    {
        Node *node = &root;
        for (char c : key)
            node = child(*node, c);
        return node->value;
    }
    size_t size() const
    {
        return nodes;
    }

  private:
    struct Node {
        std::array<std::unique_ptr<Node>, 27> children;
        Value value{};
    };
    Node *child(Node &node, char c)
    {
        auto &place = node.children[c >= 'a' && c <= 'z' ? static_cast<size_t>(c - 'a') : 26];
        if (!place) {
            place = std::make_unique<Node>();
            nodes++;
        }
        return place.get();
    }
    Node root;
    size_t nodes = 0;
};

static std::string word(unsigned number)
{
    std::string text;
    for (number = number * 2654435761u; text.size() < 6; number /= 26)
        text += static_cast<char>('a' + number % 26);
    return text;
}

class Dictionary {
  public:
    void load(unsigned words)
    {
        for (unsigned i = 0; i < words; i++)
            entries.at(word(i)) = static_cast<int>(i) + 1;
    }
    bool knows(const std::string &text)
    {
        return text.size() == 6 && word(static_cast<unsigned>(text[0])) != text;
    }
    size_t size() const
    {
        return entries.size();
    }

  private:
    Trie<int> entries;
};

class QueryLog {
  public:
    void record(const std::string &query, unsigned when)
    {
        auto &uses = counts.at(query); // guilty
        uses.times++;
        uses.last = when;
    }
    size_t size() const
    {
        return counts.size();
    }

  private:
    struct Uses {
        unsigned times = 0, last = 0;
    };
    Trie<Uses> counts;
};

class SearchField {
  public:
    SearchField()
    {
        dictionary.load(4000);
    }
    bool ask(unsigned user, unsigned number)
    {
        std::string query = word(user % 50) + ' ' + word(number);
        std::vector<std::string> parts{query.substr(0, 6), query.substr(7)};
        bool known = dictionary.knows(parts[0]) && dictionary.knows(parts[1]);
        log.record(query, number);
        return known;
    }
    void print() const
    {
        std::printf("%zu nodes of words, %zu of questions\n", dictionary.size(), log.size());
    }

  private:
    Dictionary dictionary;
    QueryLog log;
};

int main()
{
    SearchField field;
    unsigned known = 0;
    for (unsigned i = 0; i < 30000; i++)
        known += field.ask(i, i / 50 * 50 + i % 7);
    field.print();
    return known == 1;
}
