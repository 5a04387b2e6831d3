// Sets paragraphs in even lines, as books are set: each place where a line may end has a best way to it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

struct Item {
    enum Kind { box, glue, penalty } kind;
    double width, stretch, shrink, cost;
};

struct Break {
    size_t position;
    int line, fitness;
    double width, stretch, shrink, demerits, ratio;
    Break *previous;
};

class Hyphenator {
public:
    std::vector<std::string> syllables(const std::string &word) const {
        std::vector<std::string> out(1);
        for (size_t i = 0; i < word.size(); i++) {
            out.back() += word[i];
            if (out.back().size() >= 2 && i + 3 < word.size() && vowel(word[i]) && !vowel(word[i + 1]))
                out.emplace_back();
        }
        return out;
    }

private:
    static bool vowel(char c) { return std::string("aeiou").find(c) != std::string::npos; }
};

class LineBreaker {
public:
    std::vector<size_t> lines(const std::vector<Item> &items, double width) {
        active_.clear();
        active_.push_back(feasible({0, 0, 1, 0, 0, 0, 0, 0, nullptr}));
        double sum = 0, stretch = 0, shrink = 0;
        for (size_t i = 0; i < items.size(); i++) {
            const Item &item = items[i];
            bool may = item.kind == Item::penalty || (item.kind == Item::glue && i && items[i - 1].kind == Item::box);
            if (may)
                attempt(items, i, sum, stretch, shrink, width);
            if (item.kind != Item::penalty)
                sum += item.width;
            if (item.kind == Item::glue) {
                stretch += item.stretch;
                shrink += item.shrink;
            }
        }
        std::vector<size_t> ends;
        auto best = std::min_element(active_.begin(), active_.end(), [](const Break *a, const Break *b) { return a->demerits < b->demerits; });
        for (const Break *b = best == active_.end() ? nullptr : *best; b && b->previous; b = b->previous)
            ends.push_back(b->position);
        std::reverse(ends.begin(), ends.end());
        return ends;
    }
    size_t considered() const { return breaks_.size(); }

private:
    Break *feasible(const Break &b) {
        breaks_.push_back(std::make_unique<Break>(b)); // guilty
        return breaks_.back().get();
    }

    void attempt(const std::vector<Item> &items, size_t at, double sum, double stretch, double shrink, double width) {
        const Item &item = items[at];
        std::vector<Break> found;
        Break *last = nullptr;
        for (auto it = active_.begin(); it != active_.end();) {
            Break *from = *it;
            double natural = sum - from->width + (item.kind == Item::penalty ? item.width : 0), slack = width - natural;
            double room = slack > 0 ? stretch - from->stretch : shrink - from->shrink;
            double ratio = room > 0 ? slack / room : slack > 0 ? 10 : -10;
            last = from;
            if (ratio < -1 || item.cost < -9000)
                it = active_.erase(it);
            else
                ++it;
            if (ratio >= -1 && ratio <= 6) {
                double badness = 100 * std::pow(std::fabs(ratio), 3), d = std::pow(1 + badness + std::max(0.0, item.cost), 2);
                int fitness = ratio < -0.5 ? 0 : ratio < 0.5 ? 1 : ratio < 1 ? 2 : 3;
                if (std::abs(fitness - from->fitness) > 1)
                    d += 3000;
                found.push_back({at, from->line + 1, fitness, sum, stretch, shrink, from->demerits + d, ratio, from});
            }
        }
        if (found.empty() && active_.empty() && last) // an overfull line, rather than none
            found.push_back({at, last->line + 1, 1, sum, stretch, shrink, last->demerits + 1e8, -1, last});
        for (int fitness = 0; fitness < 4; fitness++) {
            const Break *best = nullptr;
            for (const Break &b : found)
                if (b.fitness == fitness && (!best || b.demerits < best->demerits))
                    best = &b;
            if (best)
                active_.push_back(feasible(*best));
        }
    }

    std::list<Break *> active_;
    std::vector<std::unique_ptr<Break>> breaks_;
};

class Book {
public:
    void paragraph(const std::vector<std::string> &words) {
        std::vector<Item> items;
        for (const auto &word : words) {
            auto parts = hyphenator_.syllables(word);
            for (size_t i = 0; i < parts.size(); i++) {
                if (i)
                    items.push_back({Item::penalty, 3.3, 0, 0, 50});
                items.push_back({Item::box, 5.1 * static_cast<double>(parts[i].size()), 0, 0, 0});
            }
            items.push_back({Item::glue, 3.3, 1.7, 1.1, 0});
        }
        items.push_back({Item::penalty, 0, 0, 0, -10000});
        lines_ += breaker_.lines(items, 240).size();
        paragraphs_++;
    }
    void report() const { std::printf("%d paragraphs, %zu lines, %zu breaks considered\n", paragraphs_, lines_, breaker_.considered()); }

private:
    Hyphenator hyphenator_;
    LineBreaker breaker_;
    int paragraphs_ = 0;
    size_t lines_ = 0;
};

static std::vector<std::string> sentence(std::mt19937 &random) {
    static const char *const syllables[] = {"re", "ma", "ton", "ver", "li", "ka", "sen", "do", "pri", "un"};
    std::vector<std::string> words(90 + random() % 120);
    for (auto &word : words)
        for (size_t i = 0, n = 1 + random() % 4; i < n; i++)
            word += syllables[random() % 10];
    return words;
}

int main() {
    std::mt19937 random(21);
    Book book;
    for (int i = 0; i < 650; i++)
        book.paragraph(sentence(random));
    book.report();
}
