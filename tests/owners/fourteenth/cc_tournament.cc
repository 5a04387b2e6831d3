// Simulates tournaments many times to find who may win: ratings, brackets of matches that know each other, and chances by player.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

struct Player {
    std::string name;
    double rating = 0;
    long titles = 0, finals = 0;
};

class Match {
public:
    explicit Match(int round) : round_(round) {}

    void seat(Player* player) { players_.push_back(player); }
    void leads_to(std::shared_ptr<Match> next) { next_ = std::move(next); }
    void fed_by(std::shared_ptr<Match> first, std::shared_ptr<Match> second) { feeders_ = {std::move(first), std::move(second)}; }

    Player* play(std::mt19937& random)
    {
        for (const auto& feeder : feeders_)
            seat(feeder->play(random));
        const double expected = 1 / (1 + std::pow(10, (players_[1]->rating - players_[0]->rating) / 400));
        std::uniform_real_distribution<double> uniform;
        for (int sets[2] = {0, 0}; sets[0] < 2 && sets[1] < 2;) {
            const bool first = uniform(random) < expected;
            score_.push_back(first ? '1' : '2');
            winner_ = players_[first ? 0 : 1];
            ++sets[first ? 0 : 1];
        }
        return winner_;
    }

    int rounds_left() const { return next_ ? 1 + next_->rounds_left() : 0; }
    const std::vector<Player*>& players() const { return players_; }

private:
    int round_;
    std::vector<Player*> players_;
    std::vector<std::shared_ptr<Match>> feeders_;
    std::shared_ptr<Match> next_;
    Player* winner_ = nullptr;
    std::string score_;
};

class Field {
public:
    explicit Field(int players)
    {
        for (int i = 0; i < players; ++i)
            players_.push_back({"player " + std::to_string(i + 1), 1500 + 9.0 * ((i * 37) % players)});
    }

    std::vector<Player*> shuffled(std::mt19937& random)
    {
        std::vector<Player*> order(players_.size());
        std::transform(players_.begin(), players_.end(), order.begin(), [](Player& p) { return &p; });
        std::shuffle(order.begin(), order.end(), random);
        return order;
    }

    std::vector<Player> favourites(std::size_t n) const
    {
        std::vector<Player> best(n);
        std::partial_sort_copy(players_.begin(), players_.end(), best.begin(), best.end(), [](const Player& a, const Player& b) { return a.titles > b.titles; });
        return best;
    }

private:
    std::vector<Player> players_;
};

// Builds the bracket from the first round up to the final.
std::shared_ptr<Match> draw_bracket(const std::vector<Player*>& order)
{
    std::vector<std::shared_ptr<Match>> round;
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
        round.push_back(std::make_shared<Match>(0));
        round.back()->seat(order[i]);
        round.back()->seat(order[i + 1]);
    }
    for (int number = 1; round.size() > 1; ++number) {
        std::vector<std::shared_ptr<Match>> above;
        for (std::size_t i = 0; i + 1 < round.size(); i += 2) {
            auto match = std::make_shared<Match>(number); // guilty
            round[i]->leads_to(match);
            round[i + 1]->leads_to(match);
            match->fed_by(round[i], round[i + 1]);
            above.push_back(std::move(match));
        }
        round = std::move(above);
    }
    return round.front();
}

class Simulation {
public:
    Simulation(Field& field, unsigned seed) : field_(field), random_(seed) {}

    void run(int times)
    {
        for (int i = 0; i < times; ++i) {
            const auto order = field_.shuffled(random_);
            const auto final = draw_bracket(order);
            ++final->play(random_)->titles;
            for (Player* p : final->players())
                ++p->finals;
            upsets_.push_back(static_cast<float>(final->players()[0]->rating + final->players()[1]->rating));
        }
    }

    double mean_of_finals() const { return std::accumulate(upsets_.begin(), upsets_.end(), 0.0) / static_cast<double>(2 * upsets_.size()); }

private:
    Field& field_;
    std::mt19937 random_;
    std::vector<float> upsets_;
};

int main()
{
    Field field(64);
    Simulation simulation(field, 2026);
    simulation.run(6000);
    for (const Player& p : field.favourites(5))
        std::printf("%-12s %5ld titles, %5ld finals\n", p.name.c_str(), p.titles, p.finals);
    std::printf("mean rating in finals: %.0f\n", simulation.mean_of_finals());
}
