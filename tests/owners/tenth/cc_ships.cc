// Watches ships: decodes AIS reports, keeps where each ship is, warns of those that come close, and draws their tracks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ais {

struct Report {
    uint32_t mmsi;
    double latitude, longitude;
    float speed, course;
    int64_t time;
};

class Decoder {
public:
    std::optional<Report> decode(const std::string &sentence)
    {
        if (sentence.compare(0, 7, "!AIVDM,") != 0)
            return std::nullopt;
        std::vector<std::string> fields = split(sentence);
        if (fields.size() < 7)
            return std::nullopt;
        Report report;
        report.mmsi = static_cast<uint32_t>(std::stoul(fields[1]));
        report.time = std::stoll(fields[2]);
        report.latitude = std::stod(fields[3]);
        report.longitude = std::stod(fields[4]);
        report.speed = std::stof(fields[5]);
        report.course = std::stof(fields[6]);
        return report;
    }

private:
    static std::vector<std::string> split(const std::string &text)
    {
        std::vector<std::string> fields;
        size_t from = 0;
        for (size_t comma; (comma = text.find(',', from)) != std::string::npos; from = comma + 1)
            fields.push_back(text.substr(from, comma - from));
        fields.push_back(text.substr(from));
        return fields;
    }
};

class Vessel {
public:
    void update(const Report &report)
    {
        track_.push_back(report); // guilty
        distance_ += track_.size() > 1 ? miles(track_[track_.size() - 2], report) : 0;
    }
    const Report &last() const { return track_.back(); }
    double distance() const { return distance_; }
    static double miles(const Report &a, const Report &b)
    {
        double dy = (a.latitude - b.latitude) * 60, dx = (a.longitude - b.longitude) * 60 * std::cos(a.latitude * M_PI / 180);
        return std::sqrt(dx * dx + dy * dy);
    }
    std::vector<std::pair<double, double>> tail(size_t n) const
    {
        std::vector<std::pair<double, double>> points;
        for (size_t i = track_.size() > n ? track_.size() - n : 0; i < track_.size(); i++)
            points.emplace_back(track_[i].latitude, track_[i].longitude);
        return points;
    }

private:
    std::vector<Report> track_;
    double distance_ = 0;
};

class Fleet {
public:
    void receive(const Report &report)
    {
        vessels_[report.mmsi].update(report);
        grid_[cell(report)] = report.mmsi;
    }

    int close_to(const Report &report) const
    {
        auto found = grid_.find(cell(report));
        return found != grid_.end() && found->second != report.mmsi;
    }

    std::string draw() const
    {
        std::string svg;
        for (const auto &[mmsi, vessel] : vessels_) {
            svg += "<polyline id=\"" + std::to_string(mmsi) + "\" points=\"";
            for (auto &[latitude, longitude] : vessel.tail(20))
                svg += std::to_string(longitude) + "," + std::to_string(latitude) + " ";
            svg += "\"/>";
        }
        return svg;
    }

    size_t size() const { return vessels_.size(); }

private:
    static int64_t cell(const Report &report)
    {
        return static_cast<int64_t>(report.latitude * 50) * 100000 + static_cast<int64_t>(report.longitude * 50);
    }

    std::unordered_map<uint32_t, Vessel> vessels_;
    std::unordered_map<int64_t, uint32_t> grid_;
};

} // namespace ais

static std::string receiver(int second, int ship)
{
    char text[128];
    double t = second / 3600.0 + ship;
    std::snprintf(text, sizeof text, "!AIVDM,%d,%d,%.5f,%.5f,%.1f,%.1f", 211000000 + ship * 37, second, 54 + std::sin(t) * (ship % 7) / 7.0,
                  8 + std::cos(t) * (ship % 11) / 11.0, 8.5 + ship % 9, std::fmod(t * 57, 360));
    return text;
}

int main()
{
    ais::Decoder decoder;
    ais::Fleet fleet;
    int warnings = 0;
    size_t drawn = 0;
    for (int second = 0; second < 4600; second += 4)
        for (int ship = 0; ship < 640; ship++)
            if (auto report = decoder.decode(receiver(second, ship))) {
                warnings += fleet.close_to(*report);
                fleet.receive(*report);
                if (ship == 0 && second % 900 == 0)
                    drawn += fleet.draw().size();
            }
    std::printf("%zu ships, %d warnings, %zu bytes drawn\n", fleet.size(), warnings, drawn);
}
