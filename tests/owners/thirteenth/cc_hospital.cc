// Passes messages between the systems of a hospital: parses segments, checks them, routes by type, and delivers in order.
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hl7 {

struct Segment {
    std::string name;
    std::vector<std::string> fields;
};

class Message {
public:
    static std::shared_ptr<const Message> parse(std::string_view text)
    {
        auto message = std::make_shared<Message>();
        while (!text.empty()) {
            const size_t end = text.find('\r');
            message->segments_.push_back(split(text.substr(0, end)));
            if (end == std::string_view::npos)
                break;
            text.remove_prefix(end + 1);
        }
        return message;
    }

    const std::string& field(std::string_view segment, size_t n) const
    {
        static const std::string none;
        for (const auto& s : segments_)
            if (s.name == segment)
                return n < s.fields.size() ? s.fields[n] : none;
        return none;
    }

    size_t size() const { return segments_.size(); }

private:
    static Segment split(std::string_view line)
    {
        Segment segment;
        size_t bar = line.find('|');
        segment.name = line.substr(0, bar);
        while (bar != std::string_view::npos) {
            const size_t next = line.find('|', bar + 1);
            segment.fields.emplace_back(line.substr(bar + 1, next == std::string_view::npos ? next : next - bar - 1));
            bar = next;
        }
        return segment;
    }

    std::vector<Segment> segments_;
};

using MessagePtr = std::shared_ptr<const Message>;

class Destination {
public:
    using Send = std::function<bool(const Message&)>;

    Destination(std::string name, Send send) : name_(std::move(name)), send_(std::move(send)) {}

    void enqueue(MessagePtr message)
    {
        queue_.push_back(std::move(message)); // guilty
        if (queue_.size() > longest_)
            longest_ = queue_.size();
    }

    void deliver(int most)
    {
        while (most-- > 0 && !queue_.empty()) {
            if (!send_(*queue_.front())) {
                ++refused_;
                return;
            }
            queue_.pop_front();
            ++sent_;
        }
    }

    void print() const { std::printf("%-10s %6ld sent, %6ld refused, longest queue %zu\n", name_.c_str(), sent_, refused_, longest_); }

private:
    std::string name_;
    Send send_;
    std::deque<MessagePtr> queue_;
    size_t longest_ = 0;
    long sent_ = 0, refused_ = 0;
};

class Engine {
public:
    Destination& destination(const std::string& name, Destination::Send send)
    {
        destinations_.push_back(std::make_unique<Destination>(name, std::move(send)));
        return *destinations_.back();
    }

    void route(const std::string& type, Destination& to) { routes_[type].push_back(&to); }

    bool accept(std::string_view text)
    {
        auto message = Message::parse(text);
        if (message->field("PID", 2).empty()) {
            ++rejected_;
            return false;
        }
        for (Destination* d : routes_[message->field("MSH", 7)])
            d->enqueue(message);
        return true;
    }

    void tick()
    {
        for (auto& d : destinations_)
            d->deliver(40);
    }

    void print() const
    {
        for (const auto& d : destinations_)
            d->print();
        std::printf("%ld rejected\n", rejected_);
    }

private:
    std::vector<std::unique_ptr<Destination>> destinations_;
    std::map<std::string, std::vector<Destination*>> routes_;
    long rejected_ = 0;
};

} // namespace hl7

class Ward {
public:
    std::string message()
    {
        static const char* const types[] = {"ADT^A01", "ADT^A03", "ORU^R01", "ORM^O01"};
        const char* type = types[below(4)];
        char head[160];
        std::snprintf(head, sizeof(head), "MSH|^~\\&|WARD%u|HOSP|ENGINE|HOSP|2026|%u|%s|%d|P|2.5\r", below(9), 1000 + below(9000), type, ++number_);
        std::string text = head;
        std::snprintf(head, sizeof(head), "PID|1||%s||DOE^PATIENT %u||19%02u0101|F\r", below(50) ? "4711" : "", below(4000), 20 + below(70));
        text += head;
        if (type[0] == 'O')
            for (unsigned i = 0, n = 1 + below(4); i < n; ++i) {
                std::snprintf(head, sizeof(head), "OBX|%u|NM|LAB%u^value of the laboratory||%u.%u|mmol/l|3.5-5.1||||F\r", i + 1, below(300), below(9), below(10));
                text += head;
            }
        return text;
    }

private:
    unsigned below(unsigned n)
    {
        seed_ = seed_ * 214013u + 2531011u;
        return (seed_ >> 11) % n;
    }

    unsigned seed_ = 63;
    int number_ = 0;
};

int main()
{
    hl7::Engine engine;
    size_t billed = 0, filed = 0, archived = 0;
    auto& billing = engine.destination("billing", [&](const hl7::Message& m) { return billed += m.size(), true; });
    auto& records = engine.destination("records", [&](const hl7::Message& m) { return filed += m.field("PID", 4).size(), true; });
    auto& research = engine.destination("research", [&](const hl7::Message&) { return ++archived % 20 == 0; });
    for (const char* type : {"ADT^A01", "ADT^A03"})
        engine.route(type, billing);
    for (const char* type : {"ADT^A01", "ADT^A03", "ORU^R01", "ORM^O01"})
        engine.route(type, records);
    engine.route("ORU^R01", research);
    Ward ward;
    for (int i = 0; i < 60000; ++i) {
        engine.accept(ward.message());
        if (i % 20 == 0)
            engine.tick();
    }
    engine.print();
    std::printf("%zu segments billed, %zu bytes filed\n", billed, filed);
}
