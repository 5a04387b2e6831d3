// Marks sheets of an examination: cells from a scanned page, answers by threshold, keys by version, statistics of items, and appeals.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

constexpr int Questions = 40;
constexpr int Choices = 5;

class Page {
public:
    Page(int width, int height) : width_(width), height_(height), pixels_(static_cast<size_t>(width * height), 255) {}

    void darken(int x, int y, int size, uint8_t ink)
    {
        for (int dy = 0; dy < size; ++dy)
            for (int dx = 0; dx < size; ++dx)
                pixels_[static_cast<size_t>((y + dy) * width_ + x + dx)] = ink;
    }

    double blackness(int x, int y, int size) const
    {
        long sum = 0;
        for (int dy = 0; dy < size; ++dy)
            for (int dx = 0; dx < size; ++dx)
                sum += 255 - pixels_[static_cast<size_t>((y + dy) * width_ + x + dx)];
        return static_cast<double>(sum) / (255.0 * size * size);
    }

    Page cut(int x, int y, int width, int height) const
    {
        Page part(width, height);
        for (int row = 0; row < height; ++row)
            std::copy_n(pixels_.begin() + (y + row) * width_ + x, width, part.pixels_.begin() + row * width);
        return part;
    }

    size_t bytes() const { return pixels_.size(); }

private:
    int width_, height_;
    std::vector<uint8_t> pixels_;
};

struct Answer {
    int choice = -1; // -1: none, -2: more than one
    double confidence = 0;
};

struct Doubt {
    int candidate, question;
    Answer answer;
    Page image;
};

class Key {
public:
    explicit Key(int version)
    {
        for (int q = 0; q < Questions; ++q)
            right_.push_back((q * 7 + version * 3) % Choices);
    }

    bool right(int question, const Answer& answer) const { return right_[static_cast<size_t>(question)] == answer.choice; }

private:
    std::vector<int> right_;
};

class Reader {
public:
    static int x(int choice) { return 20 + choice * 14; }
    static int y(int question) { return 4 + question * 12; }

    Answer read(const Page& page, int question) const
    {
        Answer answer;
        double best = 0, second = 0;
        int dark = 0;
        for (int choice = 0; choice < Choices; ++choice) {
            const double black = page.blackness(x(choice), y(question), 8);
            dark += black > 0.45;
            if (black > best) {
                second = best;
                best = black;
                answer.choice = choice;
            } else if (black > second) {
                second = black;
            }
        }
        if (best < 0.2)
            answer.choice = -1;
        else if (dark > 1)
            answer.choice = -2;
        answer.confidence = best - second;
        return answer;
    }
};

// What a person has to look at, with a picture of the row.
class Review {
public:
    void add(int candidate, int question, const Answer& answer, const Page& page)
    {
        doubts_.push_back({candidate, question, answer, page.cut(0, Reader::y(question) - 2, 96, 12)}); // guilty
        ++by_question_[question];
    }

    // Clerks decide from the picture; most of the time they agree with the machine.
    int decide(size_t most)
    {
        int agreed = 0;
        for (size_t end = std::min(doubts_.size(), next_ + most); next_ < end; ++next_)
            agreed += doubts_[next_].answer.choice >= 0 && doubts_[next_].image.blackness(Reader::x(doubts_[next_].answer.choice), 2, 8) > 0.2;
        return agreed;
    }

    int worst() const
    {
        return std::max_element(by_question_.begin(), by_question_.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    }

private:
    std::vector<Doubt> doubts_;
    size_t next_ = 0;
    std::map<int, int> by_question_;
};

class Marker {
public:
    Marker()
    {
        for (int version = 0; version < 4; ++version)
            keys_.push_back(std::make_unique<Key>(version));
    }

    int mark(int candidate, const Page& page)
    {
        int points = 0;
        for (int q = 0; q < Questions; ++q) {
            const Answer answer = reader_.read(page, q);
            if (answer.choice == -2 || answer.confidence < 0.3)
                review_.add(candidate, q, answer, page);
            if (keys_[static_cast<size_t>(candidate % 4)]->right(q, answer)) {
                ++points;
                ++right_[q];
            }
        }
        return points;
    }

    Review& review() { return review_; }

    int hardest() const
    {
        return std::min_element(right_.begin(), right_.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    }

private:
    Reader reader_;
    Review review_;
    std::vector<std::unique_ptr<Key>> keys_;
    std::map<int, int> right_;
};

Page scan(int candidate, unsigned& seed)
{
    Page page(120, 12 * Questions + 16);
    for (int q = 0; q < Questions; ++q) {
        seed = seed * 214013u + 2531011u;
        const unsigned chance = (seed >> 12) % 100;
        const int choice = chance < 55 ? (q * 7 + candidate % 4 * 3) % Choices : static_cast<int>((seed >> 20) % Choices);
        page.darken(Reader::x(choice), Reader::y(q), 8, static_cast<uint8_t>(chance % 7 == 0 ? 190 : 30));
        if (chance > 92)
            page.darken(Reader::x((choice + 1) % Choices), Reader::y(q), 8, 60);
    }
    return page;
}

int main()
{
    Marker marker;
    unsigned seed = 55;
    std::vector<int> points;
    int agreed = 0;
    for (int candidate = 0; candidate < 4200; ++candidate) {
        points.push_back(marker.mark(candidate, scan(candidate, seed)));
        if (candidate % 10 == 9)
            agreed += marker.review().decide(85);
    }
    std::nth_element(points.begin(), points.begin() + 2100, points.end());
    std::printf("median %d of %d, question %d is the hardest, %d the most doubtful, %d decisions agreed\n", points[2100], Questions, marker.hardest(), marker.review().worst(), agreed);
}
