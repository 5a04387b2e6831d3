// A vector that only grows.
#include <cstddef>
#include <vector>

struct Sample {
    double values[16];
};

class Recorder {
  public:
    void sample(double value);
    void calibrate();

  private:
    std::vector<Sample> samples;
    std::vector<double> zero;
};

[[gnu::noinline]] void Recorder::sample(double value)
{
    samples.push_back(Sample{{value}}); // guilty
}

[[gnu::noinline]] void Recorder::calibrate()
{
    zero.resize(100000);
}

int main()
{
    auto *recorder = new Recorder;
    recorder->calibrate();
    for (int i = 0; i < 600000; i++)
        recorder->sample(i);
}
