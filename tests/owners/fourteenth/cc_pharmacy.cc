// Checks prescriptions of a pharmacy: a table of substances, interactions that cost time to work out, doses by age, and warnings.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Patient {
    int age = 0, weight = 0;
    bool kidneys = true;
};

struct Finding {
    int severity = 0;
    std::string text;
};

using Findings = std::vector<Finding>;

class Substances {
public:
    Substances()
    {
        static const char* const heads[] = {"amo", "ibu", "para", "meto", "oxi", "war", "lisi", "tor", "clo", "dexa"};
        static const char* const tails[] = {"cillin", "profen", "pril", "statin", "zepam", "farin", "lol", "mycin"};
        for (const char* head : heads)
            for (const char* tail : tails)
                names_.push_back(std::string(head) + tail);
        for (std::size_t i = 0; i < names_.size(); ++i)
            for (std::size_t k = i + 1; k < names_.size(); ++k)
                if ((i * 31 + k * 17) % 11 < 2)
                    pairs_[{i, k}] = 1 + static_cast<int>((i + k) % 5);
    }

    std::size_t count() const { return names_.size(); }
    const std::string& name(std::size_t i) const { return names_[i]; }

    int severity(std::size_t a, std::size_t b) const
    {
        const auto it = pairs_.find(std::minmax(a, b));
        return it == pairs_.end() ? 0 : it->second;
    }

private:
    std::vector<std::string> names_;
    std::map<std::pair<std::size_t, std::size_t>, int> pairs_;
};

// A function of one text that computes each answer once.
template <class Result, class Function>
auto remembering(Function function)
{
    return [function = std::move(function), known = std::unordered_map<std::string, Result>()](const std::string& key) mutable -> const Result& {
        auto it = known.find(key);
        if (it == known.end())
            it = known.emplace(key, function(key)).first; // guilty
        return it->second;
    };
}

class Checker {
public:
    explicit Checker(const Substances& substances) : substances_(substances), look_up_(remembering<Findings>([this](const std::string& key) { return work_out(key); })) {}

    int check(const Patient& patient, std::vector<std::size_t> drugs)
    {
        std::sort(drugs.begin(), drugs.end());
        int worst = 0;
        for (const Finding& finding : look_up_(key_of(patient, drugs))) {
            worst = std::max(worst, finding.severity);
            if (finding.severity > 3)
                remind(finding.text);
        }
        return worst;
    }

    const std::set<std::string>& reminders() const { return reminders_; }

private:
    static std::string key_of(const Patient& p, const std::vector<std::size_t>& drugs)
    {
        std::string key = std::to_string(p.age) + ' ' + std::to_string(p.weight) + ' ' + (p.kidneys ? '1' : '0');
        for (std::size_t d : drugs)
            key += ' ' + std::to_string(d);
        return key;
    }

    Findings work_out(const std::string& key) const
    {
        std::vector<std::size_t> numbers;
        for (std::size_t at = 0; at < key.size(); at = std::min(key.find(' ', at), key.size() - 1) + 1)
            numbers.push_back(std::stoul(key.substr(at)));
        Findings findings;
        for (std::size_t i = 3; i < numbers.size(); ++i) {
            if (numbers[0] > 74 && numbers[i] % 9 == 0)
                findings.push_back({2, "half of the dose of " + substances_.name(numbers[i]) + " for the elderly"});
            for (std::size_t k = i + 1; k < numbers.size(); ++k)
                if (const int severity = substances_.severity(numbers[i], numbers[k]))
                    findings.push_back({severity, substances_.name(numbers[i]) + " with " + substances_.name(numbers[k]) + " needs watching"});
        }
        return findings;
    }

    void remind(const std::string& text)
    {
        reminders_.insert(text);
        if (reminders_.size() > 100)
            reminders_.erase(reminders_.begin());
    }

    const Substances& substances_;
    std::function<const Findings&(const std::string&)> look_up_;
    std::set<std::string> reminders_;
};

int main()
{
    const Substances substances;
    Checker checker(substances);
    unsigned seed = 12;
    const auto below = [&seed](unsigned n) { return (seed = seed * 1664525u + 1013904223u) / 256 % n; };
    long by_severity[6] = {};
    for (int i = 0; i < 110000; ++i) {
        const Patient patient{20 + static_cast<int>(below(70)), 45 + static_cast<int>(below(60)), below(10) != 0};
        std::vector<std::size_t> drugs;
        for (unsigned n = 2 + below(6); n > 0; --n)
            drugs.push_back(below(static_cast<unsigned>(substances.count())));
        ++by_severity[checker.check(patient, std::move(drugs))];
    }
    for (int i = 0; i < 6; ++i)
        std::printf("severity %d: %ld\n", i, by_severity[i]);
    std::printf("%zu reminders, the first: %s\n", checker.reminders().size(), checker.reminders().begin()->c_str());
}
