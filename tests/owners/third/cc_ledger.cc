// Accounts as a sequence of events: the store writes a snapshot of all accounts where one of a single account was meant.
#include <any>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace bank
{
struct Opened {
    std::string owner;
};
struct Paid {
    long cents;
    std::string text;
};
struct Closed {
};
using Event = std::variant<Opened, Paid, Closed>;

template <typename... Ts> struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <typename... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

class Account {
  public:
    void apply(const Event &event)
    {
        std::visit(Overloaded{
                       [this](const Opened &opened) { owner = opened.owner; },
                       [this](const Paid &paid) { cents += paid.cents; },
                       [this](const Closed &) { owner.clear(); },
                   },
            event);
    }
    void print(std::ostream &out) const
    {
        out << owner << '=' << cents << ';';
    }

  private:
    std::string owner;
    long cents = 0;
};

class Ledger {
  public:
    Account &account(int number)
    {
        return accounts[number];
    }
    std::string text() const
    {
        std::ostringstream out;
        for (const auto &[number, account] : accounts) {
            out << number << ':';
            account.print(out);
        }
        return out.str();
    }

  private:
    std::map<int, Account> accounts;
};

class Store {
  public:
    explicit Store(const Ledger &ledger) : ledger(ledger)
    {
    }
    void append(int account, const Event &event)
    {
        auto &log = logs[account];
        log.push_back(event);
        if (log.size() > 20)
            compact(account);
    }
    std::optional<std::string_view> snapshot(int account, size_t number) const
    {
        auto found = snapshots.find(account);
        if (found == snapshots.end() || found->second.size() <= number)
            return std::nullopt;
        return std::any_cast<const std::string &>(found->second[number]);
    }

  private:
    void compact(int account)
    {
        snapshots[account].emplace_back(ledger.text()); // guilty
        auto &log = logs[account];
        log.erase(log.begin(), log.end() - 10);
    }
    const Ledger &ledger;
    std::unordered_map<int, std::vector<Event>> logs;
    std::unordered_map<int, std::vector<std::any>> snapshots;
};

class Desk {
  public:
    Desk() : store(ledger)
    {
    }
    void open(int account)
    {
        record(account, Opened{"owner of the account " + std::to_string(account)});
    }
    void pay(int account, long cents)
    {
        record(account, Paid{cents, "a payment of " + std::to_string(cents)});
    }
    size_t history(int account) const
    {
        size_t size = 0;
        for (size_t i = 0; auto text = store.snapshot(account, i); i++)
            size += text->size();
        return size;
    }

  private:
    void record(int account, const Event &event)
    {
        ledger.account(account).apply(event);
        store.append(account, event);
    }
    Ledger ledger;
    Store store;
};
} // namespace bank

int main()
{
    bank::Desk desk;
    for (int account = 0; account < 300; account++)
        desk.open(account);
    for (int i = 0; i < 40000; i++)
        desk.pay(i * 7 % 300, i % 1000 - 400);
    std::printf("%zu\n", desk.history(7));
    std::fflush(stdout);
    std::quick_exit(0);
}
