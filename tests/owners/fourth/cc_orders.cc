// An exchange for one share. Orders are found by number and by price; Boost.MultiIndex keeps both ways.
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>
#include <cstdint>
#include <iostream>
#include <string>

namespace mi = boost::multi_index;

namespace exchange
{

enum class Side { Buy, Sell };

struct Order {
    std::uint64_t id;
    Side side;
    int price, quantity;
    std::string trader;
};

struct ById {};
struct ByPrice {};
struct ByTime {};

using Orders = mi::multi_index_container<Order,
    mi::indexed_by<mi::hashed_unique<mi::tag<ById>, mi::member<Order, std::uint64_t, &Order::id>>,
        mi::ordered_non_unique<mi::tag<ByPrice>, mi::member<Order, int, &Order::price>>>>;

struct Event {
    std::uint64_t order;
    char what;
    int price, left;
    std::string note;
};

// What the supervisor may ask for, in the order of time and by order.
class AuditTrail
{
    mi::multi_index_container<Event,
        mi::indexed_by<mi::sequenced<mi::tag<ByTime>>,
            mi::hashed_non_unique<mi::tag<ById>, mi::member<Event, std::uint64_t, &Event::order>>>>
        events_;

public:
    void onOrder(const Order &order, char what)
    {
        Event event{order.id, what, order.price, order.quantity, "trader " + order.trader + ", in the name of a customer"};
        events_.get<ByTime>().push_back(std::move(event)); // guilty
    }
    std::size_t size() const { return events_.size(); }
};

class Book
{
    Orders buys_, sells_;
    AuditTrail &trail_;
    std::uint64_t traded_ = 0;

    Orders &of(Side side) { return side == Side::Buy ? buys_ : sells_; }

public:
    explicit Book(AuditTrail &trail) : trail_(trail) {}

    void place(Order order)
    {
        trail_.onOrder(order, 'n');
        auto &others = of(order.side == Side::Buy ? Side::Sell : Side::Buy).get<ByPrice>();
        while (order.quantity > 0 && !others.empty()) {
            auto best = order.side == Side::Buy ? others.begin() : std::prev(others.end());
            if (order.side == Side::Buy ? best->price > order.price : best->price < order.price)
                break;
            int n = std::min(order.quantity, best->quantity);
            traded_ += n;
            order.quantity -= n;
            if (n == best->quantity)
                others.erase(best);
            else
                others.modify(best, [n](Order &o) { o.quantity -= n; });
        }
        if (order.quantity > 0)
            of(order.side).insert(std::move(order));
    }

    void cancel(Side side, std::uint64_t id)
    {
        auto &orders = of(side).get<ById>();
        auto found = orders.find(id);
        if (found == orders.end())
            return;
        trail_.onOrder(*found, 'c');
        orders.erase(found);
    }

    std::uint64_t traded() const { return traded_; }
    std::size_t open() const { return buys_.size() + sells_.size(); }
};

} // namespace exchange

int main()
{
    exchange::AuditTrail trail;
    exchange::Book book(trail);
    std::uint32_t seed = 1;
    auto random = [&seed](int n) { return int((seed = seed * 1664525u + 1013904223u) >> 8) % n; };
    for (std::uint64_t id = 1; id <= 210000; ++id) {
        auto side = random(2) ? exchange::Side::Buy : exchange::Side::Sell;
        int away = random(40) - 4;
        book.place({id, side, side == exchange::Side::Buy ? 1000 - away : 1000 + away, 1 + random(90), "T" + std::to_string(random(500))});
        if (id > 6000)
            book.cancel(side, id - 6000 + random(3));
    }
    std::cout << book.traded() << " traded, " << book.open() << " open, " << trail.size() << " events\n";
}
