// Audio mixer: voices are mixed into blocks, metered and sent to a sink.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using Block = std::vector<float>;
constexpr size_t kBlock = 512;
constexpr double kRate = 48000;

class Voice {
public:
    Voice(double freq, double gain) : step_(2 * M_PI * freq / kRate), gain_(gain) {}

    Block render(size_t n) {
        Block b(n);
        for (size_t i = 0; i < n; ++i) {
            b[i] = float(std::sin(phase_) * gain_);
            phase_ += step_;
        }
        gain_ *= 0.999;
        return b;
    }
    bool silent() const { return gain_ < 0.01; }

private:
    double phase_ = 0, step_, gain_;
};

class Meter {
public:
    void feed(const Block &b) {
        float peak = 0;
        for (float v : b) {
            peak = std::max(peak, std::fabs(v));
            wave_.push_back(v); // guilty
        }
        level_ = std::max(peak, level_ * 0.9f);
    }

    std::vector<float> waveform(size_t columns, size_t span) const {
        std::vector<float> out(columns);
        if (wave_.empty())
            return out;
        size_t from = wave_.size() > span ? wave_.size() - span : 0;
        size_t n = wave_.size() - from;
        for (size_t c = 0; c < columns; ++c)
            out[c] = wave_[from + c * n / columns];
        return out;
    }
    float level() const { return level_; }

private:
    float level_ = 0;
    std::vector<float> wave_;
};

class Limiter {
public:
    void apply(Block &b) {
        for (float &v : b) {
            look_[pos_] = v;
            pos_ = (pos_ + 1) % look_.size();
            v = std::tanh(v);
        }
    }

private:
    std::vector<float> look_ = std::vector<float>(256);
    size_t pos_ = 0;
};

class Channel {
public:
    explicit Channel(std::string name) : name_(std::move(name)) {}

    void noteOn(double freq) { voices_.push_back(std::make_unique<Voice>(freq, 0.3)); }

    void mixInto(Block &mix) {
        Block sum(mix.size());
        for (auto &v : voices_) {
            Block b = v->render(mix.size());
            for (size_t i = 0; i < b.size(); ++i)
                sum[i] += b[i];
        }
        meter_.feed(sum);
        limiter_.apply(sum);
        for (size_t i = 0; i < sum.size(); ++i)
            mix[i] += sum[i];
        reap();
    }
    const Meter &meter() const { return meter_; }

private:
    void reap() {
        for (size_t i = 0; i < voices_.size();) {
            if (voices_[i]->silent() || voices_.size() > 4)
                voices_.erase(voices_.begin() + i);
            else
                ++i;
        }
    }

    std::string name_;
    std::vector<std::unique_ptr<Voice>> voices_;
    Meter meter_;
    Limiter limiter_;
};

int main() {
    std::vector<std::unique_ptr<Channel>> desk;
    for (const char *n : {"drums", "bass", "keys", "pad", "lead"})
        desk.push_back(std::make_unique<Channel>(n));
    double drawn = 0;
    for (int blk = 0; blk < 5200; ++blk) {
        if (blk % 40 == 0)
            desk[blk / 40 % desk.size()]->noteOn(110 + blk % 700);
        Block mix(kBlock);
        for (auto &c : desk)
            c->mixInto(mix);
        if (blk % 8 == 0)
            for (auto &c : desk)
                drawn += c->meter().waveform(300, 24000)[150] + c->meter().level();
        if (blk % 25 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    printf("drawn %.3f\n", drawn);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
