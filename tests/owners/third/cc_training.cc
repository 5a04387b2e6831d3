// Learning by gradients: the losses are kept for the report, and with each of them all that it was computed from.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Cell {
    std::vector<float> values, gradients;
    std::vector<std::shared_ptr<Cell>> inputs;
    std::function<void(Cell &)> backward;
};

class Tensor {
  public:
    Tensor() = default;
    explicit Tensor(size_t size, float value = 0) : cell(std::make_shared<Cell>())
    {
        cell->values.assign(size, value);
        cell->gradients.assign(size, 0);
    }
    static Tensor result(size_t size, std::vector<std::shared_ptr<Cell>> inputs)
    {
        Tensor t(size);
        t.cell->inputs = std::move(inputs);
        return t;
    }
    size_t size() const
    {
        return cell->values.size();
    }
    float item() const
    {
        return cell->values[0];
    }
    std::shared_ptr<Cell> cell;
};

template <typename F> static Tensor combine(const Tensor &a, const Tensor &b, F f)
{
    Tensor t = Tensor::result(a.size(), {a.cell, b.cell});
    for (size_t i = 0; i < t.size(); i++)
        t.cell->values[i] = f(a.cell->values[i], b.cell->values[i % b.size()]);
    t.cell->backward = [](Cell &self) {
        for (auto &input : self.inputs)
            input->gradients[0] += self.gradients[0];
    };
    return t;
}

static Tensor operator*(const Tensor &a, const Tensor &b)
{
    return combine(a, b, [](float x, float y) { return x * y; });
}

static Tensor operator+(const Tensor &a, const Tensor &b)
{
    return combine(a, b, [](float x, float y) { return x + y; });
}

class Layer {
  public:
    explicit Layer(size_t width) : weights(width, 0.5f), bias(width, 0.1f)
    {
    }
    Tensor weights, bias;
};

class Model {
  public:
    Model()
    {
        for (int i = 0; i < 4; i++)
            layers.emplace_back(1024);
    }
    Tensor forward(const Tensor &input)
    {
        Tensor t = input;
        for (const auto &layer : layers)
            t = t * layer.weights + layer.bias; // guilty
        return t;
    }

  private:
    std::vector<Layer> layers;
};

class Trainer {
  public:
    void train(int steps)
    {
        for (int step = 0; step < steps; step++) {
            Tensor batch = load_batch(step);
            Tensor loss = model.forward(batch);
            loss.cell->gradients[0] = 1;
            loss.cell->backward(*loss.cell);
            losses.push_back(loss);
        }
    }
    float average() const
    {
        float sum = 0;
        for (const auto &loss : losses)
            sum += loss.item();
        return sum / static_cast<float>(losses.size());
    }

  private:
    Tensor load_batch(int step)
    {
        std::string text(20000, static_cast<char>('0' + step % 10));
        return Tensor(64, static_cast<float>(text[1] - '0'));
    }
    Model model;
    std::vector<Tensor> losses;
};

int main()
{
    Trainer trainer;
    trainer.train(12000);
    std::printf("%g\n", static_cast<double>(trainer.average()));
    return 0;
}
