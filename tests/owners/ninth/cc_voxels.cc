// The server of a game whose world is made of blocks: players walk, chunks around them are generated and sent, creatures move.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace world {

constexpr int kSide = 16;
constexpr int kHeight = 64;

struct ChunkPos {
    int x, z;
    bool operator==(const ChunkPos &other) const { return x == other.x && z == other.z; }
};

struct ChunkPosHash {
    size_t operator()(const ChunkPos &pos) const { return static_cast<size_t>(pos.x) * 73856093u ^ static_cast<size_t>(pos.z) * 19349663u; }
};

class Section {
public:
    uint8_t get(int x, int y, int z) const { return blocks_[index(x, y, z)]; }
    void set(int x, int y, int z, uint8_t block) { blocks_[index(x, y, z)] = block; }

private:
    static size_t index(int x, int y, int z) { return static_cast<size_t>((y * kSide + z) * kSide + x); }
    std::array<uint8_t, kSide * kSide * kSide> blocks_{};
};

class Chunk {
public:
    explicit Chunk(ChunkPos pos) : pos_(pos), sections_(kHeight / kSide) {}

    void set(int x, int y, int z, uint8_t block)
    {
        auto &section = sections_[static_cast<size_t>(y / kSide)];
        if (!section)
            section = std::make_unique<Section>();
        section->set(x, y % kSide, z, block);
    }
    uint8_t get(int x, int y, int z) const
    {
        const auto &section = sections_[static_cast<size_t>(y / kSide)];
        return section ? section->get(x, y % kSide, z) : 0;
    }
    ChunkPos pos() const { return pos_; }

private:
    ChunkPos pos_;
    std::vector<std::unique_ptr<Section>> sections_;
};

class Generator {
public:
    explicit Generator(uint32_t seed)
    {
        noise_.resize(1 << 20);
        for (auto &value : noise_) {
            seed = seed * 1664525 + 1013904223;
            value = static_cast<float>(seed >> 8) / 16777216.f;
        }
    }

    std::unique_ptr<Chunk> generate(ChunkPos pos) const
    {
        auto chunk = std::make_unique<Chunk>(pos);
        for (int x = 0; x < kSide; x++)
            for (int z = 0; z < kSide; z++) {
                const int height = height_at(pos.x * kSide + x, pos.z * kSide + z);
                for (int y = 0; y <= height; y++)
                    chunk->set(x, y, z, y == height ? 2 : y > height - 4 ? 3 : 1);
            }
        return chunk;
    }

private:
    int height_at(int x, int z) const
    {
        const float rolling = std::sin(static_cast<float>(x) * 0.02f) + std::cos(static_cast<float>(z) * 0.03f);
        const float rough = noise_[static_cast<size_t>((x & 1023) * 1024 + (z & 1023))];
        return static_cast<int>(22.f + rolling * 8.f + rough * 1.5f);
    }

    std::vector<float> noise_;
};

class World {
public:
    explicit World(const Generator &generator) : generator_(generator) {}

    Chunk &chunk_at(ChunkPos pos)
    {
        auto found = chunks_.find(pos);
        if (found == chunks_.end())
            found = chunks_.emplace(pos, generator_.generate(pos)).first; // guilty
        return *found->second;
    }

    uint8_t block(int x, int y, int z)
    {
        const ChunkPos pos{x >> 4, z >> 4};
        return chunk_at(pos).get(x & 15, y, z & 15);
    }

    int surface(int x, int z)
    {
        int y = kHeight - 1;
        while (y > 0 && block(x, y, z) == 0)
            y--;
        return y;
    }

    size_t loaded() const { return chunks_.size(); }

private:
    const Generator &generator_;
    std::unordered_map<ChunkPos, std::unique_ptr<Chunk>, ChunkPosHash> chunks_;
};

struct Player {
    std::string name;
    float x, z, heading;
    std::vector<ChunkPos> sent;
    std::vector<uint8_t> outgoing;
};

class Server {
public:
    Server() : generator_(42), world_(generator_) {}

    void join(const std::string &name)
    {
        const float n = static_cast<float>(players_.size());
        players_.push_back({name, n * 20, n * -15, n * 0.7f, {}, std::vector<uint8_t>(1 << 17)});
    }

    void tick()
    {
        for (auto &player : players_) {
            player.x += std::cos(player.heading) * 1.6f;
            player.z += std::sin(player.heading) * 1.6f;
            player.heading += 0.002f;
            send_surroundings(player);
        }
    }

    void report() const
    {
        std::printf("%zu players, %zu chunks loaded, %lu bytes sent\n", players_.size(), world_.loaded(), sent_);
    }

private:
    void send_surroundings(Player &player)
    {
        const ChunkPos here{static_cast<int>(std::floor(player.x)) >> 4, static_cast<int>(std::floor(player.z)) >> 4};
        if (!player.sent.empty() && player.sent[0] == here)
            return;
        player.sent.assign(1, here);
        for (int dx = -3; dx <= 3; dx++)
            for (int dz = -3; dz <= 3; dz++) {
                const Chunk &chunk = world_.chunk_at({here.x + dx, here.z + dz});
                player.sent.push_back(chunk.pos());
                player.outgoing[sent_++ % player.outgoing.size()] = chunk.get(0, 20, 0);
            }
        world_.surface(static_cast<int>(player.x), static_cast<int>(player.z));
    }

    Generator generator_;
    World world_;
    std::vector<Player> players_;
    unsigned long sent_ = 0;
};

} // namespace world

int main()
{
    world::Server server;
    for (int i = 0; i < 12; i++)
        server.join("player" + std::to_string(i));
    for (int tick = 0; tick < 700; tick++)
        server.tick();
    server.report();
    return 0;
}
