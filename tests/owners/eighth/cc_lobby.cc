// A game server's lobby: players wait, are put into matches, and go when their match is over.
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

class Match;

struct Player {
    std::string name;
    int rating = 1500;
    std::shared_ptr<Match> match;
    std::vector<std::uint16_t> keys;
};
using PlayerPtr = std::shared_ptr<Player>;

class Terrain {
public:
    static Terrain generate(std::uint32_t seed, int size)
    {
        Terrain made;
        made.size_ = size;
        made.heights_.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
        std::uint32_t state = seed;
        for (auto &height : made.heights_) {
            state = state * 1103515245u + 12345u;
            height = static_cast<std::uint8_t>(state >> 24);
        }
        return made;
    }
    int height(int x, int y) const { return heights_[static_cast<std::size_t>((y % size_) * size_ + x % size_)]; }

private:
    int size_ = 0;
    std::vector<std::uint8_t> heights_;
};

class Match {
public:
    Match(std::uint32_t id, std::uint32_t seed) : id_(id), terrain_(Terrain::generate(seed, 96)) {}

    void join(const PlayerPtr &player)
    {
        players_.push_back(player);
        scores_.push_back(0);
    }
    bool step()
    {
        for (std::size_t i = 0; i < players_.size(); i++) {
            int x = static_cast<int>(turn_ * 7 + i * 13), y = static_cast<int>(turn_ * 3 + i);
            scores_[i] += terrain_.height(x, y) % 3;
            players_[i]->keys.push_back(static_cast<std::uint16_t>(x));
        }
        return ++turn_ < 12;
    }
    std::size_t winner() const
    {
        std::size_t best = 0;
        for (std::size_t i = 1; i < scores_.size(); i++)
            if (scores_[i] > scores_[best])
                best = i;
        return best;
    }
    const std::vector<PlayerPtr> &players() const { return players_; }
    std::uint32_t id() const { return id_; }

private:
    std::uint32_t id_;
    std::uint32_t turn_ = 0;
    Terrain terrain_;
    std::vector<PlayerPtr> players_;
    std::vector<int> scores_;
};

class Ranking {
public:
    void load_seasons(int players)
    {
        for (int i = 0; i < players; i++) {
            auto &ratings = ratings_["player-of-the-north-" + std::to_string(i)];
            ratings.reserve(16);
            ratings.push_back(1400 + i % 200);
        }
    }
    void settle(const Match &match)
    {
        const std::size_t winner = match.winner();
        for (std::size_t i = 0; i < match.players().size(); i++) {
            auto &player = *match.players()[i];
            player.rating += i == winner ? 12 : -4;
            ratings_[player.name].push_back(player.rating);
        }
    }
    std::size_t size() const { return ratings_.size(); }

private:
    std::unordered_map<std::string, std::vector<int>> ratings_;
};

class Lobby {
public:
    explicit Lobby(Ranking &ranking) : ranking_(ranking) {}

    void enter(const std::string &name)
    {
        auto player = std::make_shared<Player>();
        player->name = name;
        waiting_.push_back(std::move(player));
        if (waiting_.size() >= 4)
            start_match();
    }

    void tick()
    {
        for (auto at = running_.begin(); at != running_.end();) {
            if (at->second->step()) {
                ++at;
                continue;
            }
            ranking_.settle(*at->second);
            at = running_.erase(at);
            finished_++;
        }
    }
    std::uint32_t finished() const { return finished_; }
    std::size_t running() const { return running_.size(); }

private:
    void start_match()
    {
        const std::uint32_t id = ++last_id_;
        auto match = std::make_shared<Match>(id, id * 977u); // guilty
        for (int i = 0; i < 4; i++) {
            auto player = waiting_.front();
            waiting_.pop_front();
            player->match = match;
            match->join(player);
        }
        running_.emplace(match->id(), match);
    }

    Ranking &ranking_;
    std::deque<PlayerPtr> waiting_;
    std::unordered_map<std::uint32_t, std::shared_ptr<Match>> running_;
    std::uint32_t last_id_ = 0, finished_ = 0;
};

int main()
{
    Ranking ranking;
    ranking.load_seasons(30000);
    Lobby lobby(ranking);
    std::mt19937 random(17);
    for (int i = 0; i < 18000; i++) {
        lobby.enter("player-of-the-north-" + std::to_string(random() % 30000));
        if (i % 2 == 0)
            lobby.tick();
    }
    while (lobby.running() > 0)
        lobby.tick();
    std::cout << lobby.finished() << " matches, " << ranking.size() << " players ranked\n";
}
