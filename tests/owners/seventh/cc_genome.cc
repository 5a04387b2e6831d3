// Puts reads of a sequencer together: words of k letters are counted, and where reads overlap they are linked.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assembly {

using Kmer = std::uint64_t;
constexpr int kK = 21;
constexpr Kmer kMask = (Kmer{1} << 2 * kK) - 1;

struct Mix {
    std::size_t operator()(Kmer k) const noexcept {
        k ^= k >> 31;
        k *= 0x9e3779b97f4a7c15u;
        return k ^ k >> 29;
    }
};

std::optional<Kmer> code(char c) {
    switch (c) {
        case 'A': return 0;
        case 'C': return 1;
        case 'G': return 2;
        case 'T': return 3;
        default: return std::nullopt;
    }
}

template <class F>
void for_each_kmer(std::string_view read, F&& f) {
    Kmer word = 0;
    int length = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
        const auto c = code(read[i]);
        length = c ? length + 1 : 0;
        word = (word << 2 | c.value_or(0)) & kMask;
        if (length >= kK) f(word, static_cast<std::uint32_t>(i + 1 - kK));
    }
}

class Spectrum {
public:
    void count(std::string_view read) {
        for_each_kmer(read, [this](Kmer k, std::uint32_t) {
            auto& n = counts_[k];
            if (n < 255) ++n;
        });
    }
    bool is_solid(Kmer k) const {
        const auto at = counts_.find(k);
        return at != counts_.end() && at->second > 1;
    }
    std::size_t size() const { return counts_.size(); }

private:
    std::unordered_map<Kmer, std::uint8_t, Mix> counts_;
};

struct Place {
    std::uint32_t read, offset;
};

class Overlaps {
public:
    explicit Overlaps(const Spectrum& spectrum) : spectrum_(spectrum) {}

    void add(std::uint32_t id, std::string_view read) {
        for_each_kmer(read, [&](Kmer k, std::uint32_t offset) {
            if (spectrum_.is_solid(k)) places_[k].push_back({id, offset});  // guilty
        });
    }

    std::vector<std::uint32_t> neighbours(std::uint32_t id, std::string_view read) const {
        std::vector<std::uint32_t> found;
        for_each_kmer(read, [&](Kmer k, std::uint32_t offset) {
            if (offset % 8) return;
            if (auto at = places_.find(k); at != places_.end())
                for (const Place& p : at->second)
                    if (p.read != id) found.push_back(p.read);
        });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

private:
    const Spectrum& spectrum_;
    std::unordered_map<Kmer, std::vector<Place>, Mix> places_;
};

class Components {
public:
    explicit Components(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t root(std::uint32_t a) {
        while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
        return a;
    }
    void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }
    std::size_t count() {
        std::size_t n = 0;
        for (std::uint32_t i = 0; i < parent_.size(); ++i) n += root(i) == i;
        return n;
    }

private:
    std::vector<std::uint32_t> parent_;
};

class Sequencer {
public:
    explicit Sequencer(std::size_t size) {
        genome_.reserve(size);
        std::generate_n(std::back_inserter(genome_), size, [this] { return "ACGT"[random_() % 4]; });
    }
    std::vector<std::string> reads(std::size_t n, std::size_t length) {
        std::vector<std::string> out;
        out.reserve(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::string& r = out.emplace_back(genome_.substr(random_() % (genome_.size() - length), length));
            if (random_() % 8 == 0) r[random_() % length] = 'N';
        }
        return out;
    }

private:
    std::mt19937 random_{7};
    std::string genome_;
};

}  // namespace assembly

int main() {
    assembly::Sequencer sequencer(60000);
    const auto reads = sequencer.reads(14000, 140);
    assembly::Spectrum spectrum;
    for (const auto& r : reads) spectrum.count(r);
    assembly::Overlaps overlaps(spectrum);
    for (std::uint32_t i = 0; i < reads.size(); ++i) overlaps.add(i, reads[i]);
    assembly::Components parts(reads.size());
    for (std::uint32_t i = 0; i < reads.size(); i += 3)
        for (auto other : overlaps.neighbours(i, reads[i])) parts.join(i, other);
    std::printf("%zu words, %zu parts\n", spectrum.size(), parts.count());
}
