// A synthesizer: voices, an echo, and a song of some notes.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace synth {

constexpr double kRate = 44100;

// Owns samples, aligned for vector instructions.
template <typename T> class Buffer
{
public:
    explicit Buffer(size_t frames) : frames_(frames), data_(static_cast<T *>(std::aligned_alloc(64, (frames * sizeof(T) + 63) / 64 * 64)))
    {
        assert(data_);
        std::fill_n(data_, frames_, T());
    }
    Buffer(Buffer &&other) noexcept : frames_(other.frames_), data_(std::exchange(other.data_, nullptr)) {}
    Buffer(const Buffer &) = delete;
    ~Buffer() { std::free(data_); }
    T &operator[](size_t i) { return data_[i]; }
    T operator[](size_t i) const { return data_[i]; }
    size_t size() const { return frames_; }

private:
    size_t frames_;
    T *data_;
};

static Buffer<float> renderWave(size_t frames, int harmonics)
{
    Buffer<float> wave(frames);
    for (int h = 1; h <= harmonics; h++) {
        double c = std::cos(2 * M_PI * h / frames), s = std::sin(2 * M_PI * h / frames), x = 1, y = 0;
        for (size_t i = 0; i < frames; i++) {
            wave[i] += static_cast<float>(y / h);
            double t = x * c - y * s;
            y = x * s + y * c;
            x = t;
        }
    }
    return wave;
}

class Voice
{
public:
    // Each voice has a table of its own, though all have the same.
    explicit Voice(int channel) : channel_(channel), table_(renderWave(1 << 17, 8)) {} // guilty
    void start(int note)
    {
        step_ = 440 * std::pow(2, (note - 69) / 12.0) / kRate * table_.size();
        level_ = 1;
    }
    void mix(Buffer<float> &out)
    {
        if (level_ < 1e-3f)
            return;
        for (size_t i = 0; i < out.size(); i++) {
            out[i] += table_[static_cast<size_t>(phase_)] * level_ * 0.1f;
            phase_ = std::fmod(phase_ + step_, table_.size());
            level_ *= 0.9999f;
        }
    }
    int channel() const { return channel_; }

private:
    int channel_;
    Buffer<float> table_;
    double phase_ = 0, step_ = 0;
    float level_ = 0;
};

class Echo
{
public:
    explicit Echo(double seconds) : line_(static_cast<size_t>(seconds * kRate)) {}
    void process(Buffer<float> &io)
    {
        for (size_t i = 0; i < io.size(); i++) {
            float &old = line_[at_++ % line_.size()];
            io[i] += old * 0.4f;
            old = io[i];
        }
    }

private:
    Buffer<float> line_;
    size_t at_ = 0;
};

class Engine
{
public:
    explicit Engine(int voices) : echo_(2.5), block_(512)
    {
        for (int i = 0; i < voices; i++)
            voices_.push_back(std::make_unique<Voice>(i % 16));
    }
    void noteOn(int note) { voices_[next_++ % voices_.size()]->start(note); }
    float run()
    {
        for (size_t i = 0; i < block_.size(); i++)
            block_[i] = 0;
        for (auto &voice : voices_)
            voice->mix(block_);
        echo_.process(block_);
        float peak = 0;
        for (size_t i = 0; i < block_.size(); i++)
            peak = std::max(peak, std::fabs(block_[i]));
        return peak;
    }

private:
    Echo echo_;
    Buffer<float> block_;
    std::vector<std::unique_ptr<Voice>> voices_;
    size_t next_ = 0;
};

} // namespace synth

int main()
{
    const std::array<int, 8> song = {60, 64, 67, 72, 71, 67, 64, 62};
    synth::Engine engine(96);
    float loudest = 0;
    for (int beat = 0; beat < 40; beat++) {
        engine.noteOn(song[beat % song.size()] + beat / 8);
        loudest = std::max(loudest, engine.run());
    }
    std::printf("%.3f\n", loudest);
}
