// Prepares subtitles of films: cues from text, reading speed, breaking into lines, translation memory, checks, and export.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Cue {
    int number;
    int from, to; // milliseconds
    std::vector<std::string> lines;

    size_t length() const
    {
        size_t n = 0;
        for (const auto& line : lines)
            n += line.size();
        return n;
    }
    double speed() const { return 1000.0 * double(length()) / double(to - from); }
};

class Writer {
public:
    explicit Writer(unsigned seed) : seed_(seed) {}

    unsigned below(unsigned n)
    {
        seed_ = seed_ * 1103515245u + 12345u;
        return (seed_ >> 9) % n;
    }

    std::string sentence()
    {
        static const char* const words[] = {"never", "the", "river", "told", "you", "before", "morning", "captain", "listen", "we",
                                            "have", "to", "leave", "tonight", "again", "somebody", "knows", "where", "it", "is"};
        std::string text;
        for (unsigned i = 0, n = 4 + below(10); i < n; ++i) {
            if (i)
                text += ' ';
            text += words[below(20)];
        }
        return text + (below(4) ? "." : "?");
    }

private:
    unsigned seed_;
};

class Breaker {
public:
    std::vector<std::string> lines(const std::string& text, size_t width) const
    {
        std::vector<std::string> result;
        size_t from = 0;
        while (text.size() - from > width) {
            size_t at = text.rfind(' ', from + width);
            if (at == std::string::npos || at <= from)
                at = from + width;
            result.push_back(text.substr(from, at - from));
            from = at + 1;
        }
        result.push_back(text.substr(from));
        return result;
    }
};

// What was translated before, so that a sentence that comes again is said in the same words.
class Memory {
public:
    const std::string* recall(const std::string& source)
    {
        auto found = entries_.find(source);
        if (found == entries_.end())
            return nullptr;
        ++found->second.used;
        ++hits_;
        return &found->second.target;
    }

    const std::string& learn(std::string source, std::string target, int film)
    {
        Entry entry{std::move(target), film, 1};
        return entries_.insert_or_assign(std::move(source), std::move(entry)).first->second.target; // guilty
    }

    size_t hits() const { return hits_; }

private:
    struct Entry {
        std::string target;
        int film;
        int used;
    };
    std::unordered_map<std::string, Entry> entries_;
    size_t hits_ = 0;
};

class Translator {
public:
    explicit Translator(Memory& memory) : memory_(memory) {}

    std::string translate(const std::string& text, int film)
    {
        if (const std::string* known = memory_.recall(text))
            return *known;
        return memory_.learn(text, words(text), film);
    }

private:
    std::string words(const std::string& text) const
    {
        std::string result, word;
        for (char c : text) {
            if (c == ' ' || c == '.' || c == '?') {
                std::reverse(word.begin(), word.end());
                result += word;
                result += c;
                word.clear();
            } else {
                word += c;
            }
        }
        return result;
    }

    Memory& memory_;
};

class Film {
public:
    Film(int number, unsigned seed) : number_(number), writer_(seed) {}

    void read(int cues)
    {
        int at = 2000;
        for (int i = 0; i < cues; ++i) {
            const std::string text = writer_.sentence();
            const int to = at + 900 + int(writer_.below(2600));
            cues_.push_back(Cue{i + 1, at, to, {text}});
            at = to + int(writer_.below(3000));
        }
    }

    void translate(Translator& translator, const Breaker& breaker)
    {
        for (auto& cue : cues_)
            cue.lines = breaker.lines(translator.translate(cue.lines.front(), number_), 38);
    }

    int too_fast(double limit) const
    {
        return int(std::count_if(cues_.begin(), cues_.end(), [limit](const Cue& c) { return c.speed() > limit; }));
    }

    std::string srt() const
    {
        std::string out;
        char head[64];
        for (const auto& cue : cues_) {
            std::snprintf(head, sizeof(head), "%d\n%02d:%02d,%03d --> %02d:%02d,%03d\n", cue.number, cue.from / 60000, cue.from / 1000 % 60,
                          cue.from % 1000, cue.to / 60000, cue.to / 1000 % 60, cue.to % 1000);
            out += head;
            for (const auto& line : cue.lines)
                out += line + '\n';
            out += '\n';
        }
        return out;
    }

private:
    int number_;
    Writer writer_;
    std::vector<Cue> cues_;
};

int main()
{
    Memory memory;
    Translator translator(memory);
    const Breaker breaker;
    std::map<int, int> fast;
    size_t bytes = 0;
    for (int number = 0; number < 130; ++number) {
        auto film = std::make_unique<Film>(number, 100u + unsigned(number));
        film->read(1100);
        film->translate(translator, breaker);
        ++fast[film->too_fast(17.0) / 100];
        bytes += film->srt().size();
    }
    std::printf("%zu bytes, %zu sentences were known, hundreds of fast cues:", bytes, memory.hits());
    for (const auto& [hundreds, films] : fast)
        std::printf(" %d:%d", hundreds, films);
    std::printf("\n");
}
