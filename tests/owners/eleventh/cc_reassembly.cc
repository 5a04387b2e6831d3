// Puts the segments of captured connections in order and looks for words in what was sent.
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Segment {
    uint32_t connection, sequence;
    bool fin;
    std::string payload;
};

class Matcher {
public:
    explicit Matcher(std::vector<std::string> words) : words_(std::move(words)) {}
    size_t count(std::string_view text) const {
        size_t hits = 0;
        for (const auto &word : words_)
            for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
                hits++;
        return hits;
    }

private:
    std::vector<std::string> words_;
};

class Stream {
public:
    std::string receive(Segment &&segment) {
        if (segment.sequence != expected_) {
            if (segment.sequence > expected_)
                hold(std::move(segment));
            return {};
        }
        std::string ready = std::move(segment.payload);
        expected_ += static_cast<uint32_t>(ready.size());
        closed_ |= segment.fin;
        for (auto it = early_.begin(); it != early_.end() && it->first <= expected_; it = early_.erase(it))
            if (it->first == expected_) {
                expected_ += static_cast<uint32_t>(it->second.payload.size());
                closed_ |= it->second.fin;
                ready += it->second.payload;
            }
        return ready;
    }
    bool closed() const { return closed_; }
    size_t waiting() const { return early_.size(); }

private:
    void hold(Segment &&segment) {
        uint32_t at = segment.sequence;
        early_.try_emplace(at, std::move(segment)); // guilty
    }
    uint32_t expected_ = 0;
    bool closed_ = false;
    std::map<uint32_t, Segment> early_;
};

class Sensor {
public:
    explicit Sensor(Matcher matcher) : matcher_(std::move(matcher)) {}
    void packet(Segment &&segment) {
        uint32_t id = segment.connection;
        Stream &stream = streams_[id];
        std::string ready = stream.receive(std::move(segment));
        hits_ += matcher_.count(ready);
        bytes_ += ready.size();
        if (stream.closed())
            streams_.erase(id);
    }
    void report() const {
        size_t waiting = 0;
        for (const auto &entry : streams_)
            waiting += entry.second.waiting();
        std::printf("%zu hits in %zu bytes, %zu streams open, %zu segments wait\n", hits_, bytes_, streams_.size(), waiting);
    }

private:
    Matcher matcher_;
    std::unordered_map<uint32_t, Stream> streams_;
    size_t hits_ = 0, bytes_ = 0;
};

class Capture {
public:
    std::optional<Segment> next() {
        if (packets_++ == 160000)
            return std::nullopt;
        if (flights_.empty() || random_() % 12 == 0)
            flights_.push_back({next_id_++, 0, 4 + random_() % 24});
        size_t pick = random_() % flights_.size();
        Flight &flight = flights_[pick];
        if (random_() % 60 == 0) // the capture drops one
            flight.sequence += 500;
        Segment segment{flight.id, flight.sequence, --flight.left == 0, text()};
        flight.sequence += static_cast<uint32_t>(segment.payload.size());
        if (segment.fin) {
            flights_[pick] = flights_.back();
            flights_.pop_back();
        }
        return segment;
    }

private:
    struct Flight {
        uint32_t id, sequence;
        size_t left;
    };
    std::string text() {
        static const char *const words[] = {"GET /index ", "cookie=", "password=", "image/png ", "0d2f71", "keep-alive "};
        std::string out;
        size_t length = 300 + random_() % 800;
        while (out.size() < length)
            out += words[random_() % 6];
        return out;
    }
    std::mt19937 random_{8};
    std::vector<Flight> flights_;
    uint32_t next_id_ = 1;
    size_t packets_ = 0;
};

int main() {
    Capture capture;
    Sensor sensor(Matcher({"password=", "cookie=0d", "GET /admin"}));
    while (auto segment = capture.next())
        sensor.packet(std::move(*segment));
    sensor.report();
}
