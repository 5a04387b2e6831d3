// Measures what a program does, by objects that live as long as a block; here the program sorts and sums.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace trace {

using Clock = std::chrono::steady_clock;
using Attributes = std::map<std::string, std::string>;

struct Event {
  std::string name;
  Clock::time_point start, end;
  Attributes attributes;
};

class Collector {
 public:
  static Collector& instance() {
    static Collector collector;
    return collector;
  }
  std::unique_ptr<Event> begin(std::string name) {
    auto event = std::make_unique<Event>();
    event->name = std::move(name);
    event->start = Clock::now();
    return event;
  }
  void count(const std::string& name) { counts_[name]++; }
  std::list<Event>& events() { return events_; }
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  Collector() = default;
  std::list<Event> events_;
  std::map<std::string, int> counts_;
};

class Span {
 public:
  explicit Span(const char* name) : event_(Collector::instance().begin(name)) {}
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // The event is copied to the list that would be sent, if there were someone to send it to.
  ~Span() {
    auto& collector = Collector::instance();
    event_->end = Clock::now();
    collector.count(event_->name);
    collector.events().push_back(*event_);  // guilty
  }

  Span& set(const std::string& key, const std::string& value) {
    event_->attributes[key] = value;
    return *this;
  }

 private:
  std::unique_ptr<Event> event_;
};

}  // namespace trace

namespace app {

struct Order {
  int id, customer;
  double total;
};

class Shop {
 public:
  Shop() {
    trace::Span span("Shop::Shop");
    for (int i = 0; i < 20000; i++) orders_.push_back({i, i * 17 % 900, i % 77 * 1.25});
  }

  double revenue(int customer) const {
    trace::Span span("Shop::revenue");
    span.set("customer", std::to_string(customer)).set("currency", "EUR");
    double sum = 0;
    for (const auto& order : orders_)
      if (order.customer == customer) sum += order.total;
    return sum;
  }

  std::vector<Order> best(int from, std::size_t n) const {
    trace::Span span("Shop::best");
    span.set("from", "order number " + std::to_string(from)).set("rows", std::to_string(n));
    std::vector<Order> some(orders_.begin() + from, orders_.begin() + from + static_cast<long>(n) * 2);
    std::nth_element(some.begin(), some.begin() + static_cast<long>(n), some.end(),
                     [](const Order& a, const Order& b) { return a.total > b.total; });
    some.resize(n);
    return some;
  }

  void discount(int id) {
    trace::Span span("Shop::discount");
    orders_.at(static_cast<std::size_t>(id)).total *= 0.9;
  }

 private:
  std::vector<Order> orders_;
};

}  // namespace app

int main() {
  app::Shop shop;
  double sum = 0;
  for (int i = 0; i < 19000; i++) {
    if (i % 10 == 0) sum += shop.revenue(i % 900);
    for (const auto& order : shop.best(i, 20)) sum += order.total;
    shop.discount(i);
    for (int again = 0; again < 7; again++) shop.discount(i / 2 + again);
  }
  for (const auto& [name, count] : trace::Collector::instance().counts()) std::cout << name << ": " << count << "\n";
  std::cout << sum << "\n";
}
