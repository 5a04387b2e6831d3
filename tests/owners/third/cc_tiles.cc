// A server of maps. Its cache counts tiles of a zoom level that is no longer asked for, and so throws nothing out.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

template <typename Key, typename Value, typename Hash> class LruCache {
  public:
    explicit LruCache(size_t most) : most(most)
    {
    }
    std::optional<Value> get(const Key &key)
    {
        auto found = places.find(key);
        if (found == places.end())
            return std::nullopt;
        items.splice(items.begin(), items, found->second);
        return found->second->second;
    }
    void put(const Key &key, Value value)
    {
        items.emplace_front(key, std::move(value));
        places[key] = items.begin();
        if (items.size() > most) {
            places.erase(items.back().first);
            items.pop_back();
        }
    }

  private:
    std::list<std::pair<Key, Value>> items;
    std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator, Hash> places;
    size_t most;
};

struct TileId {
    int zoom, x, y;
    bool operator==(const TileId &other) const
    {
        return zoom == other.zoom && x == other.x && y == other.y;
    }
};

struct TileHash {
    size_t operator()(const TileId &id) const
    {
        return static_cast<size_t>(id.zoom * 73856093 ^ id.x * 19349663 ^ id.y * 83492791);
    }
};

struct Tile {
    std::vector<uint8_t> pixels;
    std::vector<std::pair<int, int>> labels;
};

using TilePtr = std::shared_ptr<const Tile>;

class TileServer {
  public:
    TileServer() : cache(1000 << 10), styles(64) // meant as kilobytes, counted as tiles
    {
    }
    TilePtr tile(const TileId &id)
    {
        if (auto found = cache.get(id))
            return *found;
        return load_tile(id);
    }
    int style_of(int zoom)
    {
        if (auto found = styles.get({zoom, 0, 0}))
            return static_cast<int>(found->size());
        styles.put({zoom, 0, 0}, std::vector<int>(20000, zoom));
        return 0;
    }

  private:
    TilePtr load_tile(const TileId &id)
    {
        auto tile = std::make_shared<Tile>();
        tile->pixels.resize(64 * 48, static_cast<uint8_t>(id.zoom)); // guilty
        for (int i = 0; i < (id.x + id.y) % 20; i++)
            tile->labels.emplace_back(id.x + i, id.y);
        auto scratch = std::make_unique<double[]>(8000);
        scratch[static_cast<size_t>(id.x) % 8000] = id.y;
        tile->pixels[static_cast<size_t>(id.y)] = static_cast<uint8_t>(scratch[static_cast<size_t>(id.x) % 8000]);
        cache.put(id, tile);
        return tile;
    }
    LruCache<TileId, TilePtr, TileHash> cache;
    LruCache<TileId, std::vector<int>, TileHash> styles;
};

class Browser {
  public:
    Browser(TileServer &server, int start) : server(server), x(start)
    {
    }
    size_t walk(int steps)
    {
        size_t labels = 0;
        for (int i = 0; i < steps; i++) {
            labels += server.tile({12, x, i % 200})->labels.size();
            labels += static_cast<size_t>(server.style_of(i % 18)) / 20000;
            x += i % 3;
        }
        return labels;
    }

  private:
    TileServer &server;
    int x;
};

int main()
{
    TileServer server;
    size_t labels = 0;
    for (int i = 0; i < 20; i++)
        labels += Browser(server, i * 1000).walk(900);
    std::printf("%zu labels\n", labels);
    return 0;
}
