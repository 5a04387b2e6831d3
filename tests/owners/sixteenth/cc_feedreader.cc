// feedreader - polls feeds, parses them and shows what is new to its subscribers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

struct Element {
    std::string name, text;
    std::vector<std::unique_ptr<Element>> children;

    const Element* child(std::string_view n) const {
        for (auto& c : children)
            if (c->name == n) return c.get();
        return nullptr;
    }
};

class XmlParser {
public:
    explicit XmlParser(std::string_view s) : s_(s) {}
    std::unique_ptr<Element> document() { return element(); }

private:
    std::unique_ptr<Element> element() {
        skip_space();
        if (i_ >= s_.size() || s_[i_] != '<') return nullptr;
        auto e = std::make_unique<Element>();
        size_t end = s_.find('>', i_);
        e->name = std::string(s_.substr(i_ + 1, end - i_ - 1));
        i_ = end + 1;
        for (;;) {
            size_t lt = s_.find('<', i_);
            if (lt == std::string_view::npos) return e;
            if (lt > i_) e->text += s_.substr(i_, lt - i_);
            i_ = lt;
            if (s_.substr(i_, 2) == "</") {
                i_ = s_.find('>', i_) + 1;
                return e;
            }
            e->children.push_back(element());
        }
    }
    void skip_space() { while (i_ < s_.size() && (s_[i_] == ' ' || s_[i_] == '\n')) i_++; }

    std::string_view s_;
    size_t i_ = 0;
};

class Feed {
public:
    explicit Feed(std::string url) : url_(std::move(url)) {}

    int merge(std::unique_ptr<Element> doc) {
        int fresh = 0;
        for (auto& item : doc->children) {
            if (item->name != "item") continue;
            const Element* guid = item->child("guid");
            if (!guid || entries_.count(guid->text)) continue;
            fresh++;
            std::string key = guid->text;
            entries_.emplace(std::move(key), std::move(item)); // guilty
        }
        return fresh;
    }
    const std::string& url() const { return url_; }

private:
    std::string url_;
    std::unordered_map<std::string, std::unique_ptr<Element>> entries_;
};

class Origin {
public:
    std::string fetch(const std::string& url, int round) const {
        std::string x = "<rss><title>" + url + "</title>";
        for (int i = 0; i < 20; i++) {
            int id = round * 8 + i;
            x += "<item><guid>" + url + "/" + std::to_string(id) + "</guid><title>Story number " + std::to_string(id) + " of the day</title>";
            x += "<description>" + std::string(120 + size_t(id % 200), char('a' + id % 26)) + "</description>";
            for (int k = 0; k < 3; k++) x += "<category>topic" + std::to_string((id + k) % 40) + " and more</category>";
            x += "</item>";
        }
        return x + "</rss>";
    }
};

class Reader {
public:
    explicit Reader(int feeds) {
        for (int i = 0; i < feeds; i++) feeds_.emplace_back("https://news" + std::to_string(i) + ".example/rss");
    }
    void poll(int round) {
        for (auto& f : feeds_) {
            std::string body = origin_.fetch(f.url(), round);
            bytes_ += body.size();
            auto doc = XmlParser(body).document();
            if (!doc) { failures_++; continue; }
            int n = f.merge(std::move(doc));
            if (n) announce(f, n);
        }
    }
    void report() const { std::printf("%zu bytes, %d announcements, %d failures\n", bytes_, announced_, failures_); }

private:
    void announce(const Feed& f, int n) {
        banner_ = std::to_string(n) + " new in " + f.url();
        announced_++;
    }
    std::vector<Feed> feeds_;
    Origin origin_;
    std::string banner_;
    size_t bytes_ = 0;
    int announced_ = 0, failures_ = 0;
};

int main() {
    Reader reader(50);
    for (int round = 0; round < 120; round++) {
        reader.poll(round);
        std::this_thread::sleep_for(std::chrono::milliseconds(18));
    }
    reader.report();
}
