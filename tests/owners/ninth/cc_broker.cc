// A message broker: exchanges route what is published to queues, channels deliver it to consumers, who acknowledge by tag.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Message {
    std::string routing_key;
    std::map<std::string, std::string> headers;
    std::string body;
};

struct Delivery {
    uint64_t tag;
    std::string queue;
    bool redelivered;
    Message message;
};

class Queue {
public:
    explicit Queue(std::string name) : name_(std::move(name)) {}
    const std::string &name() const { return name_; }
    void enqueue(const Message &message) { ready_.push_back(message); }
    bool empty() const { return ready_.empty(); }
    Message dequeue()
    {
        Message message = std::move(ready_.front());
        ready_.pop_front();
        return message;
    }

private:
    std::string name_;
    std::deque<Message> ready_;
};

class Channel {
public:
    using Consumer = std::function<void(Channel &, const Delivery &)>;

    Channel(int number, bool auto_ack) : number_(number), auto_ack_(auto_ack) {}

    void consume(Queue &queue, Consumer consumer) { consumers_.emplace_back(&queue, std::move(consumer)); }

    size_t pump()
    {
        size_t delivered = 0;
        for (auto &[queue, consumer] : consumers_)
            while (!queue->empty()) {
                deliver(*queue, consumer);
                delivered++;
            }
        return delivered;
    }

    void ack(uint64_t tag, bool multiple)
    {
        if (!multiple) {
            unacked_.erase(tag);
            return;
        }
        while (!unacked_.empty() && unacked_.begin()->first <= tag)
            unacked_.erase(unacked_.begin());
    }

    size_t unacked() const { return unacked_.size(); }

private:
    void deliver(Queue &queue, const Consumer &consumer)
    {
        Delivery delivery{++last_tag_, queue.name(), false, queue.dequeue()};
        if (!auto_ack_)
            unacked_.emplace(delivery.tag, delivery); // guilty
        consumer(*this, delivery);
    }

    int number_;
    bool auto_ack_;
    uint64_t last_tag_ = 0;
    std::map<uint64_t, Delivery> unacked_;
    std::vector<std::pair<Queue *, Consumer>> consumers_;
};

class Exchange {
public:
    void bind(std::string pattern, Queue &queue) { bindings_.emplace_back(std::move(pattern), &queue); }

    void publish(const Message &message)
    {
        published_++;
        for (auto &[pattern, queue] : bindings_)
            if (matches(pattern, message.routing_key))
                queue->enqueue(message);
    }
    unsigned long published() const { return published_; }

private:
    static bool matches(std::string_view pattern, std::string_view key)
    {
        if (!pattern.empty() && pattern.back() == '#')
            return key.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
        return pattern == key;
    }

    std::vector<std::pair<std::string, Queue *>> bindings_;
    unsigned long published_ = 0;
};

// Retained state that every new subscriber is sent first.
class Snapshot {
public:
    void update(const Message &message) { last_[message.routing_key] = message.body; }
    size_t size() const { return last_.size(); }

private:
    std::unordered_map<std::string, std::string> last_;
};

class Shop {
public:
    Message next()
    {
        count_++;
        Message message;
        message.routing_key = count_ % 3 == 0 ? "stock.article." + std::to_string(count_ % 12000) : "order.placed";
        message.headers["content-type"] = "application/json";
        message.headers["x-trace"] = "00-4bf92f3577b34da6-" + std::to_string(count_);
        message.body = "{\"number\":" + std::to_string(count_) + ",\"lines\":[";
        for (unsigned i = 0; i < 1 + count_ % 5; i++)
            message.body += "{\"article\":\"A-" + std::to_string(count_ * 7 + i) + "\",\"amount\":2,\"price\":\"19.95\"},";
        message.body.back() = ']';
        message.body += "}";
        return message;
    }

private:
    unsigned count_ = 0;
};

int main()
{
    Exchange exchange;
    Queue billing("billing"), mail("mail"), warehouse("warehouse");
    exchange.bind("order.#", billing);
    exchange.bind("order.placed", mail);
    exchange.bind("stock.#", warehouse);

    Channel first(1, false), second(2, false), third(3, true);
    Snapshot stock;
    unsigned long total = 0, mails = 0;
    first.consume(billing, [&](Channel &channel, const Delivery &delivery) {
        total += delivery.message.body.size();
        if (delivery.tag % 50 == 0)
            channel.ack(delivery.tag, true);
    });
    second.consume(mail, [&](Channel &channel, const Delivery &delivery) {
        mails++;
        if (delivery.message.body.size() > 260)
            channel.ack(delivery.tag, false);
    });
    third.consume(warehouse, [&](Channel &, const Delivery &delivery) { stock.update(delivery.message); });

    Shop shop;
    for (int i = 0; i < 120000; i++) {
        exchange.publish(shop.next());
        if (i % 20 == 0) {
            first.pump();
            second.pump();
            third.pump();
        }
    }
    std::printf("%lu published, %lu mails, %zu articles, unacknowledged %zu %zu\n", exchange.published(), mails, stock.size(),
                first.unacked(), second.unacked());
    return total == 0;
}
