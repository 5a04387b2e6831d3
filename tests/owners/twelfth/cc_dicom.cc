// The archive of a clinic: receives images of scanners, looks after studies, and shows slices with a window of grey.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace pacs {

using Uid = std::string;

struct Image {
    Uid instance, series, study;
    int number = 0, columns = 0, rows = 0;
    std::map<std::string, std::string> tags;
    std::vector<uint16_t> pixels;
};

class Scanner {
public:
    explicit Scanner(unsigned seed) : random_(seed) {}
    std::vector<std::shared_ptr<Image>> scan(const Uid &study, int slices) {
        std::vector<std::shared_ptr<Image>> series;
        Uid uid = study + "." + std::to_string(1 + random_() % 900);
        for (int i = 0; i < slices; i++)
            series.push_back(slice(study, uid, i));
        return series;
    }

private:
    std::shared_ptr<Image> slice(const Uid &study, const Uid &series, int number) {
        auto image = std::make_shared<Image>();
        image->study = study;
        image->series = series;
        image->instance = series + "." + std::to_string(number);
        image->number = number;
        image->columns = image->rows = 96;
        image->tags["0008,0060"] = "MR";
        image->tags["0018,0050"] = std::to_string(1 + random_() % 5);
        image->pixels.resize(96 * 96);
        for (size_t i = 0; i < image->pixels.size(); i++) {
            int x = static_cast<int>(i % 96) - 48, y = static_cast<int>(i / 96) - 48;
            image->pixels[i] = static_cast<uint16_t>(x * x + y * y < 1600 ? 900 + random_() % 300 : random_() % 60);
        }
        return image;
    }
    std::mt19937 random_;
};

class Study {
public:
    void add(const std::shared_ptr<Image> &image) {
        auto &series = series_[image->series];
        if (std::any_of(series.begin(), series.end(), [&](const auto &i) { return i->instance == image->instance; }))
            throw std::runtime_error("sent twice: " + image->instance);
        series.push_back(image); // guilty
    }
    std::vector<Uid> names() const {
        std::vector<Uid> out;
        for (const auto &entry : series_)
            out.push_back(entry.first);
        return out;
    }
    std::shared_ptr<const Image> middle(const Uid &series) const {
        auto it = series_.find(series);
        return it == series_.end() ? nullptr : it->second[it->second.size() / 2];
    }
    size_t images() const {
        size_t n = 0;
        for (const auto &entry : series_)
            n += entry.second.size();
        return n;
    }

private:
    std::map<Uid, std::vector<std::shared_ptr<Image>>> series_;
};

class Worklist {
public:
    void plan(const Uid &study, const std::string &patient) { open_[study] = patient; }
    std::string finish(const Uid &study) {
        auto node = open_.extract(study);
        return node.empty() ? std::string() : node.mapped();
    }

private:
    std::unordered_map<Uid, std::string> open_;
};

class Viewer {
public:
    // Greys of 8 bits, for a window of values.
    std::vector<uint8_t> render(const Image &image, int centre, int width) const {
        std::vector<uint8_t> grey(image.pixels.size());
        for (size_t i = 0; i < grey.size(); i++)
            grey[i] = static_cast<uint8_t>(std::clamp((image.pixels[i] - centre + width / 2) * 255 / width, 0, 255));
        return grey;
    }
};

class Archive {
public:
    Study &study(const Uid &uid) { return studies_[uid]; }
    void receive(const std::vector<std::shared_ptr<Image>> &series) {
        for (const auto &image : series)
            try {
                study(image->study).add(image);
            } catch (const std::runtime_error &) {
                refused_++;
            }
    }
    void report() const {
        size_t images = 0;
        for (const auto &entry : studies_)
            images += entry.second.images();
        std::printf("%zu studies with %zu images, %d refused\n", studies_.size(), images, refused_);
    }

private:
    std::map<Uid, Study> studies_;
    int refused_ = 0;
};

} // namespace pacs

int main() {
    pacs::Archive archive;
    pacs::Worklist worklist;
    pacs::Scanner scanners[] = {pacs::Scanner(1), pacs::Scanner(2)};
    pacs::Viewer viewer;
    unsigned long brightness = 0;
    size_t letters = 0;
    for (int day = 0; day < 130; day++) {
        pacs::Uid uid = "1.2.840." + std::to_string(7000 + day);
        worklist.plan(uid, "Patient " + std::to_string(day * 37 % 100));
        auto series = scanners[day % 2].scan(uid, 16 + day % 9);
        archive.receive(series);
        if (day % 10 == 0)
            archive.receive(series);
        for (const auto &name : archive.study(uid).names())
            if (auto image = archive.study(uid).middle(name))
                for (uint8_t grey : viewer.render(*image, 700, 1400))
                    brightness += grey;
        letters += worklist.finish(uid).size();
    }
    archive.report();
    std::printf("brightness %lu, %zu letters\n", brightness, letters);
}
