// The receiving side of a conference: orders packets of sound by their numbers, plays them out, and mixes.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <vector>

namespace voice {

constexpr size_t frame = 160;

struct Packet {
    uint32_t source = 0, sequence = 0, timestamp = 0;
    bool marker = false;
    std::vector<uint8_t> payload;
};

class JitterBuffer {
public:
    void put(std::unique_ptr<Packet> packet) {
        received_++;
        if (!started_) {
            next_ = packet->sequence;
            started_ = true;
        }
        if (packet->sequence < next_)
            late_++;
        waiting_.emplace(packet->sequence, std::move(packet)); // guilty
    }

    std::unique_ptr<Packet> take() {
        if (!started_ || waiting_.size() < depth_)
            return nullptr;
        auto it = waiting_.find(next_++);
        if (it == waiting_.end()) {
            lost_++;
            return nullptr;
        }
        auto packet = std::move(it->second);
        waiting_.erase(it);
        return packet;
    }
    size_t waiting() const { return waiting_.size(); }
    long late() const { return late_; }
    long lost() const { return lost_; }

private:
    std::multimap<uint32_t, std::unique_ptr<Packet>> waiting_;
    uint32_t next_ = 0;
    size_t depth_ = 3;
    bool started_ = false;
    long received_ = 0, late_ = 0, lost_ = 0;
};

class Decoder {
public:
    Decoder() {
        for (int code = -128; code < 128; code++)
            table_[static_cast<size_t>(code + 128)] = static_cast<float>(std::copysign(std::expm1(std::abs(code) / 24.0) / 256.0, code));
    }
    std::vector<float> decode(const Packet *packet) {
        std::vector<float> sound(frame);
        if (!packet) { // conceals what was lost
            for (size_t i = 0; i < frame; i++)
                sound[i] = last_[i] *= 0.7f;
            return sound;
        }
        for (size_t i = 0; i < frame; i++) {
            sound[i] = table_[packet->payload[i]];
            last_[i] = sound[i];
        }
        return sound;
    }

private:
    std::array<float, frame> last_{};
    std::array<float, 256> table_{};
};

struct Speaker {
    JitterBuffer buffer;
    Decoder decoder;
    double level = 0;
};

class Conference {
public:
    void receive(std::unique_ptr<Packet> packet) {
        auto &speaker = speakers_[packet->source];
        if (!speaker)
            speaker = std::make_unique<Speaker>();
        speaker->buffer.put(std::move(packet));
    }

    std::vector<float> mix() {
        std::vector<float> all(frame);
        for (auto &[source, speaker] : speakers_) {
            auto packet = speaker->buffer.take();
            auto sound = speaker->decoder.decode(packet.get());
            double energy = 0;
            for (size_t i = 0; i < frame; i++) {
                all[i] += sound[i] * 0.25f;
                energy += static_cast<double>(sound[i]) * sound[i];
            }
            speaker->level = 0.9 * speaker->level + 0.1 * energy;
        }
        return all;
    }

    void report() const {
        size_t waiting = 0;
        long late = 0, lost = 0;
        for (const auto &[source, speaker] : speakers_) {
            waiting += speaker->buffer.waiting();
            late += speaker->buffer.late();
            lost += speaker->buffer.lost();
        }
        std::printf("%zu speakers, %zu packets wait, %ld were late, %ld lost\n", speakers_.size(), waiting, late, lost);
    }

private:
    std::map<uint32_t, std::unique_ptr<Speaker>> speakers_;
};

// A network that delays each packet by another time, and sends some twice.
class Network {
public:
    void send(int now, uint32_t source, uint32_t sequence) {
        int copies = random_() % 7 == 0 ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            int delay = 1 + static_cast<int>(random_() % 2) + (random_() % 6 == 0 ? static_cast<int>(random_() % 25) : 0);
            flying_.push({now + delay, source, sequence});
        }
    }
    std::unique_ptr<Packet> arrived(int now) {
        if (flying_.empty() || flying_.top().at > now)
            return nullptr;
        auto packet = std::make_unique<Packet>();
        packet->source = flying_.top().source;
        packet->sequence = flying_.top().sequence;
        packet->timestamp = packet->sequence * frame;
        packet->payload.resize(frame);
        for (auto &byte : packet->payload)
            byte = static_cast<uint8_t>(random_());
        flying_.pop();
        return packet;
    }

private:
    struct Flight {
        int at;
        uint32_t source, sequence;
        bool operator<(const Flight &o) const { return at > o.at; }
    };
    std::priority_queue<Flight> flying_;
    std::mt19937 random_{12};
};

} // namespace voice

int main() {
    voice::Network network;
    voice::Conference conference;
    double loudest = 0;
    for (int now = 0; now < 18000; now++) {
        for (uint32_t source = 0; source < 14; source++)
            network.send(now, 0xbeef00 + source, static_cast<uint32_t>(now));
        while (auto packet = network.arrived(now))
            conference.receive(std::move(packet));
        for (float sample : conference.mix())
            loudest = std::max(loudest, static_cast<double>(std::fabs(sample)));
    }
    conference.report();
    std::printf("loudest %.2f\n", loudest);
}
