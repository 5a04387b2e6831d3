// Watches machines: values in a ring for each measure, and what was unusual.
#include <boost/algorithm/string.hpp>
#include <boost/circular_buffer.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/lexical_cast.hpp>
#include <boost/optional.hpp>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

struct Sample {
    long when;
    double value;
};

struct Incident {
    std::string measure;
    boost::circular_buffer<Sample> before;
    double how_far;
};

class Measure {
public:
    Measure() : recent_(48) {}

    void push(const Sample& s) { recent_.push_back(s); }

    boost::optional<double> deviation(double value) const {
        if (recent_.size() < 10) return boost::none;
        double sum = 0, squares = 0;
        for (const auto& s : recent_) sum += s.value, squares += s.value * s.value;
        const double mean = sum / recent_.size();
        const double sigma = std::sqrt(std::max(1e-9, squares / recent_.size() - mean * mean));
        return std::fabs(value - mean) / sigma;
    }

    const boost::circular_buffer<Sample>& recent() const { return recent_; }

private:
    boost::circular_buffer<Sample> recent_;
};

class Watcher {
public:
    void feed(const std::string& line) {
        std::vector<std::string> parts;
        boost::split(parts, line, boost::is_any_of(" \t"), boost::token_compress_on);
        if (parts.size() != 3) {
            ++bad_;
            return;
        }
        try {
            accept(parts[0], {boost::lexical_cast<long>(parts[1]), boost::lexical_cast<double>(parts[2])});
        } catch (const boost::bad_lexical_cast&) {
            ++bad_;
        }
    }

    std::size_t incidents() const { return incidents_.size(); }
    std::size_t bad() const { return bad_; }

    double worst() const {
        double w = 0;
        for (const auto& i : incidents_) w = std::max(w, i.how_far);
        return w;
    }

private:
    void accept(const std::string& name, const Sample& s) {
        Measure& m = measures_[name];
        if (auto d = m.deviation(s.value); d && *d > 2.0) report(name, m, *d);
        m.push(s);
    }

    Incident& report(const std::string& name, const Measure& m, double how_far) {
        incidents_.push_back(Incident{name, m.recent(), how_far});  // guilty
        return incidents_.back();
    }

    boost::container::flat_map<std::string, Measure> measures_;
    std::vector<Incident> incidents_;
    std::size_t bad_ = 0;
};

int main() {
    Watcher watcher;
    unsigned r = 3;
    for (long t = 0; t < 450000; ++t) {
        r = r * 1664525u + 1013904223u;
        const double value = 50 + (r >> 20) % 30 + (t % 11 == 0 ? 45 : 0);
        watcher.feed("host" + std::to_string(t % 40) + ".cpu.user.percent  " + std::to_string(t) + " " + (t % 5000 ? std::to_string(value) : "nan?"));
    }
    std::cout << watcher.incidents() << " incidents, the worst " << watcher.worst() << ", bad " << watcher.bad() << "\n";
}
