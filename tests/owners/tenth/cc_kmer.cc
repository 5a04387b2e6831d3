// Assembles reads of a sequencer: counts their k-mers, drops those that look like errors, and walks along the rest.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Read {
    std::string name, bases, quality;
};

class FastqReader {
public:
    FastqReader(std::string genome, int reads) : genome_(std::move(genome)), left_(reads) {}

    bool next(Read &read)
    {
        if (left_-- <= 0)
            return false;
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        size_t at = (state_ >> 33) % (genome_.size() - length);
        read.name = "@HWI-ST1:" + std::to_string(left_) + ":" + std::to_string(at % 997);
        read.bases = genome_.substr(at, length);
        read.quality.assign(length, 'I');
        if (state_ >> 20 & 1) {
            size_t wrong = (state_ >> 40) % length;
            read.bases[wrong] = "ACGT"[(state_ >> 50) & 3];
            read.quality[wrong] = '#';
        }
        return true;
    }

private:
    static constexpr size_t length = 100;
    std::string genome_;
    int left_;
    uint64_t state_ = 42;
};

struct KmerInfo {
    uint32_t count = 0;
    uint8_t before = 0, after = 0; // which bases were seen there
};

class KmerTable {
public:
    explicit KmerTable(int k) : k_(k) {}

    void add(const Read &read)
    {
        std::string_view bases = read.bases;
        for (size_t i = 0; i + static_cast<size_t>(k_) <= bases.size(); i++) {
            uint64_t key = encode(bases.substr(i, static_cast<size_t>(k_)));
            KmerInfo &info = table_[key]; // guilty
            info.count++;
            if (i > 0)
                info.before |= static_cast<uint8_t>(1u << code(bases[i - 1]));
            if (i + static_cast<size_t>(k_) < bases.size())
                info.after |= static_cast<uint8_t>(1u << code(bases[i + static_cast<size_t>(k_)]));
        }
    }

    std::vector<uint32_t> histogram() const
    {
        std::vector<uint32_t> counts(64);
        for (const auto &[key, info] : table_)
            counts[std::min<uint32_t>(info.count, 63)]++;
        return counts;
    }

    const KmerInfo *find(uint64_t key) const
    {
        auto found = table_.find(key);
        return found == table_.end() ? nullptr : &found->second;
    }

    uint64_t encode(std::string_view bases) const
    {
        uint64_t key = 0;
        for (char base : bases)
            key = key << 2 | code(base);
        return key;
    }
    uint64_t mask() const { return (uint64_t(1) << 2 * k_) - 1; }
    size_t size() const { return table_.size(); }

private:
    static uint64_t code(char base) { return base == 'A' ? 0 : base == 'C' ? 1 : base == 'G' ? 2 : 3; }

    int k_;
    std::unordered_map<uint64_t, KmerInfo> table_;
};

class Assembler {
public:
    explicit Assembler(const KmerTable &table) : table_(table) {}

    std::string walk(const std::string &start, uint32_t least)
    {
        std::string contig = start;
        uint64_t key = table_.encode(start);
        while (const KmerInfo *info = table_.find(key)) {
            if (info->count < least || !visited_.insert(key).second)
                break;
            int best = -1;
            uint32_t count = 0;
            for (int base = 0; base < 4; base++) {
                const KmerInfo *next = info->after >> base & 1 ? table_.find((key << 2 | static_cast<uint64_t>(base)) & table_.mask()) : nullptr;
                if (next && next->count > count)
                    best = base, count = next->count;
            }
            if (best < 0)
                break;
            contig += "ACGT"[best];
            key = (key << 2 | static_cast<uint64_t>(best)) & table_.mask();
        }
        return contig;
    }

private:
    const KmerTable &table_;
    std::unordered_set<uint64_t> visited_;
};

static std::string make_genome(size_t size)
{
    std::string genome(size, 'A');
    uint64_t state = 9;
    for (char &base : genome) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        base = "ACGT"[state >> 60 & 3];
    }
    return genome;
}

int main()
{
    std::string genome = make_genome(600000);
    FastqReader reader(genome, 28000);
    KmerTable table(25);
    Read read;
    while (reader.next(read))
        table.add(read);
    Assembler assembler(table);
    std::string contig = assembler.walk(genome.substr(400, 25), 2);
    std::printf("%zu k-mers, %u once, contig of %zu\n", table.size(), table.histogram()[1], contig.size());
}
