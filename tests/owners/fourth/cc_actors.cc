// Actors that send each other messages, and a price feed whose subscribers may be slow.
#include <any>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace act {

struct Envelope {
    std::any message;
    std::string sender;
};

class Actor;
using Address = std::shared_ptr<Actor>;

class Mailbox
{
    std::deque<std::unique_ptr<Envelope>> m_queue;

public:
    void enqueue(std::any message, const std::string &sender)
    {
        m_queue.push_back(std::make_unique<Envelope>(Envelope{std::move(message), sender}));
    }
    std::unique_ptr<Envelope> dequeue()
    {
        if (m_queue.empty())
            return nullptr;
        auto first = std::move(m_queue.front());
        m_queue.pop_front();
        return first;
    }
    size_t size() const { return m_queue.size(); }
};

class Actor
{
    std::string m_name;
    Mailbox m_mailbox;
    std::map<size_t, std::function<void(const std::any &)>> m_handlers;

protected:
    template <typename M> void on(std::function<void(const M &)> handler)
    {
        m_handlers[typeid(M).hash_code()] = [handler](const std::any &a) { handler(std::any_cast<const M &>(a)); };
    }

public:
    explicit Actor(std::string name) : m_name(std::move(name)) {}
    virtual ~Actor() = default;
    const std::string &name() const { return m_name; }

    template <typename M> void tell(M message, const Actor &from) { m_mailbox.enqueue(std::any(std::move(message)), from.name()); }

    size_t work(size_t most)
    {
        size_t done = 0;
        for (; done < most; ++done) {
            auto envelope = m_mailbox.dequeue();
            if (!envelope)
                break;
            auto found = m_handlers.find(envelope->message.type().hash_code());
            if (found != m_handlers.end())
                found->second(envelope->message);
        }
        return done;
    }
    size_t waiting() const { return m_mailbox.size(); }
};

} // namespace act

struct Tick {
    int number;
    std::string symbol;
    std::vector<double> depth;
};
struct Order {
    std::string symbol;
    int quantity;
};

class Broker : public act::Actor
{
    std::vector<Order> m_orders;

public:
    Broker() : Actor("broker")
    {
        on<Order>([this](const Order &o) { m_orders.push_back(o); });
    }
    size_t orders() const { return m_orders.size(); }
};

class Chart : public act::Actor
{
    std::map<std::string, std::vector<double>> m_lines;

public:
    Chart() : Actor("chart")
    {
        on<Tick>([this](const Tick &t) { m_lines[t.symbol].push_back(t.depth[0]); });
    }
};

class Trader : public act::Actor
{
    std::shared_ptr<Broker> m_broker;

public:
    explicit Trader(std::shared_ptr<Broker> broker) : Actor("trader"), m_broker(std::move(broker))
    {
        on<Tick>([this](const Tick &t) {
            if (t.number % 3 == 0)
                m_broker->tell(Order{t.symbol, t.number % 100}, *this);
        });
    }
};

class PriceFeed : public act::Actor
{
    std::vector<act::Address> m_subscribers;

public:
    PriceFeed() : Actor("feed of prices, Frankfurt") {}
    void subscribe(act::Address a) { m_subscribers.push_back(std::move(a)); }

    // Whoever is slower than the market gets a longer and longer mailbox.
    void publish(int number)
    {
        Tick tick{number, "DE000" + std::to_string(number % 40), std::vector<double>(20, number)};
        for (auto &s : m_subscribers)
            s->tell(tick, *this); // guilty
    }
};

int main()
{
    auto broker = std::make_shared<Broker>();
    auto trader = std::make_shared<Trader>(broker);
    auto chart = std::make_shared<Chart>();
    PriceFeed feed;
    feed.subscribe(trader);
    feed.subscribe(chart);
    for (int number = 0; number < 120000; ++number) {
        feed.publish(number);
        trader->work(10);
        broker->work(10);
        if (number % 100 == 0)
            chart->work(10);
    }
    std::cout << broker->orders() << " orders, " << chart->waiting() << " ticks wait\n";
}
