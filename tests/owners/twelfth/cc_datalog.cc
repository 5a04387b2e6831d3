// Answers who may do what: facts on members, groups and grants, and rules that are applied until nothing new follows.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

enum Name : uint16_t { member, inside, grants, may };

struct Fact {
    Name relation;
    int a, b;
    bool operator==(const Fact &o) const { return relation == o.relation && a == o.a && b == o.b; }
};

struct FactHash {
    size_t operator()(const Fact &f) const {
        return (f.relation * 1000003ul + static_cast<size_t>(f.a)) * 998244353ul ^ static_cast<size_t>(f.b) * 40503ul;
    }
};

class Relation {
public:
    bool insert(const Fact &f) {
        if (!facts_.insert(f).second)
            return false;
        by_first_[f.a].push_back(f.b);
        return true;
    }
    const std::vector<int> &from(int a) const {
        static const std::vector<int> nothing;
        auto it = by_first_.find(a);
        return it == by_first_.end() ? nothing : it->second;
    }
    bool holds(const Fact &f) const { return facts_.count(f) != 0; }
    size_t size() const { return facts_.size(); }

private:
    std::unordered_set<Fact, FactHash> facts_;
    std::unordered_map<int, std::vector<int>> by_first_;
};

struct Derivation {
    const char *rule;
    std::vector<Fact> premises;
};

// For those who ask why.
class Provenance {
public:
    void note(const Fact &conclusion, const char *rule, std::vector<Fact> premises) {
        auto &ways = ways_[conclusion];
        ways.push_back({rule, std::move(premises)}); // guilty
    }
    std::string why(const Fact &f) const {
        auto it = ways_.find(f);
        if (it == ways_.end())
            return "it was said";
        std::string text = it->second.front().rule;
        for (const Fact &p : it->second.front().premises)
            text += " " + std::to_string(p.a) + "-" + std::to_string(p.b);
        return text;
    }

private:
    std::unordered_map<Fact, std::vector<Derivation>, FactHash> ways_;
};

class Engine {
public:
    void say(const Fact &f) {
        if (relations_[f.relation].insert(f))
            fresh_.push_back(f);
    }

    int settle() {
        int rounds = 0;
        for (; !fresh_.empty(); rounds++) {
            std::vector<Fact> round;
            round.swap(fresh_);
            for (const Fact &f : round)
                follow(f);
        }
        return rounds;
    }

    bool allowed(int who, int what) {
        questions_++;
        return relations_[may].holds({may, who, what});
    }
    std::string explain(int who, int what) const { return provenance_.why({may, who, what}); }
    void report() const {
        std::printf("%ld questions, %ld inferences, relations of", questions_, inferences_);
        for (const auto &entry : relations_)
            std::printf(" %zu", entry.second.size());
        std::printf("\n");
    }

private:
    void conclude(const Fact &f, const char *rule, const Fact &first, const Fact &second) {
        inferences_++;
        provenance_.note(f, rule, {first, second});
        say(f);
    }

    void follow(const Fact &f) {
        switch (f.relation) {
        case member:
            for (int outer : std::vector<int>(relations_[inside].from(f.b)))
                conclude({member, f.a, outer}, "who is in a group is in those around it", f, {inside, f.b, outer});
            for (int right : relations_[grants].from(f.b))
                conclude({may, f.a, right}, "who is in a group may what it is granted", f, {grants, f.b, right});
            break;
        case inside:
            for (int outer : std::vector<int>(relations_[inside].from(f.b)))
                conclude({inside, f.a, outer}, "what is inside a part is inside the whole", f, {inside, f.b, outer});
            break;
        case grants:
        case may:
            break;
        }
    }

    std::map<Name, Relation> relations_{{member, {}}, {inside, {}}, {grants, {}}, {may, {}}};
    std::vector<Fact> fresh_;
    Provenance provenance_;
    long inferences_ = 0, questions_ = 0;
};

static std::vector<Fact> company(std::mt19937 &random) {
    std::vector<Fact> facts;
    const int groups = 160, people = 900, rights = 220;
    for (int g = 1; g < groups; g++)
        for (int k = 0; k < 2; k++)
            facts.push_back({inside, g, static_cast<int>(random() % static_cast<unsigned>(g))});
    for (int g = 0; g < groups; g++)
        for (int k = 0; k < 5; k++)
            facts.push_back({grants, g, static_cast<int>(random() % rights)});
    for (int p = 0; p < people; p++)
        for (int k = 0; k < 2; k++)
            facts.push_back({member, 1000 + p, static_cast<int>(random() % groups)});
    return facts;
}

int main() {
    std::mt19937 random(3);
    Engine engine;
    int rounds = 0;
    for (const Fact &f : company(random)) {
        engine.say(f);
        if (f.relation != member)
            rounds += engine.settle();
    }
    rounds += engine.settle();
    long yes = 0;
    size_t letters = 0;
    for (int i = 0; i < 40000; i++) {
        int who = 1000 + static_cast<int>(random() % 900), what = static_cast<int>(random() % 220);
        if (engine.allowed(who, what)) {
            yes++;
            letters += i % 50 == 0 ? engine.explain(who, what).size() : 0;
        }
    }
    engine.report();
    std::printf("%ld allowed, %d rounds, %zu letters of reasons\n", yes, rounds, letters);
}
