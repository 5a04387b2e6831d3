// Writes the invoices of a month: what one needs comes from a memory resource, lines are priced by tariffs.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace billing {

using Cents = std::int64_t;

struct Usage {
    std::uint32_t customer;
    std::string service;
    double amount;
};

struct Line {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    std::pmr::string text;
    Cents price = 0;

    Line(std::string_view t, Cents p, allocator_type a = {}) : text(t, a), price(p) {}
    Line(Line&& o, allocator_type a) : text(std::move(o.text), a), price(o.price) {}
    Line(Line&&) = default;
    Line& operator=(Line&&) = default;
};

struct Invoice {
    explicit Invoice(std::pmr::memory_resource* r) : lines(r), body(r) {}
    std::pmr::vector<Line> lines;
    std::pmr::string body;
    Cents total = 0;
};

class Tariff {
public:
    using Rule = std::function<Cents(double)>;
    void add(std::string service, Rule rule) { rules_.insert_or_assign(std::move(service), std::move(rule)); }
    std::optional<Cents> price(const Usage& u) const {
        auto at = rules_.find(u.service);
        if (at == rules_.end()) return std::nullopt;
        return at->second(u.amount);
    }

private:
    std::map<std::string, Rule, std::less<>> rules_;
};

std::string_view money(Cents c, std::array<char, 32>& buffer) {
    auto end = std::to_chars(buffer.data(), buffer.data() + 24, c / 100).ptr;
    *end++ = '.';
    *end++ = static_cast<char>('0' + c % 100 / 10);
    *end++ = static_cast<char>('0' + c % 10);
    return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

class Run {
public:
    explicit Run(const Tariff& t) : tariff_(t) {}

    void bill(std::uint32_t customer, const std::vector<Usage>& usage) {
        Invoice invoice(&scratch_);  // guilty
        for (const Usage& u : usage) add_line(invoice, u);
        render(invoice, customer);
        total_ += invoice.total;
        bytes_ += invoice.body.size();
    }

    // A customer may be told what a contract would cost; that is no invoice.
    Cents quote(const std::vector<Usage>& usage) const {
        std::pmr::monotonic_buffer_resource mine;
        Invoice invoice(&mine);
        for (const Usage& u : usage) add_line(invoice, u);
        return invoice.total;
    }

    Cents total() const { return total_; }
    std::size_t bytes() const { return bytes_; }

private:
    void add_line(Invoice& invoice, const Usage& u) const {
        const auto price = tariff_.price(u);
        if (!price) return;
        char amount[64];
        const int n = std::snprintf(amount, sizeof amount, "%-24.24s %10.2f units", u.service.c_str(), u.amount);
        invoice.lines.emplace_back(std::string_view(amount, n), *price);
        invoice.total += *price;
    }

    void render(Invoice& invoice, std::uint32_t customer) {
        std::array<char, 32> buffer;
        std::pmr::string& out = invoice.body;
        out.append("Invoice for customer ").append(std::to_string(customer)).append("\n\n");
        for (const Line& l : invoice.lines) out.append(l.text).append("  ").append(money(l.price, buffer)).append("\n");
        out.append("Total ").append(money(invoice.total, buffer)).append("\n");
    }

    const Tariff& tariff_;
    std::pmr::monotonic_buffer_resource scratch_;
    Cents total_ = 0;
    std::size_t bytes_ = 0;
};

Tariff tariff_of_may() {
    Tariff t;
    t.add("storage", [](double gb) { return static_cast<Cents>(gb * 3); });
    t.add("transfer", [](double gb) { return gb < 100 ? Cents{0} : static_cast<Cents>((gb - 100) * 5); });
    t.add("virtual machine", [](double hours) { return static_cast<Cents>(hours * 2.5); });
    t.add("support", [](double) { return Cents{4900}; });
    return t;
}

std::vector<Usage> usage_of(std::uint32_t customer) {
    static constexpr const char* services[] = {"storage", "transfer", "virtual machine", "support", "unknown service"};
    std::vector<Usage> out;
    for (std::uint32_t i = 0; i < 6 + customer % 9; ++i) out.push_back({customer, services[(customer + i) % 5], double((customer * 31 + i * 17) % 700)});
    return out;
}

}  // namespace billing

int main() {
    const auto tariff = billing::tariff_of_may();
    billing::Run run(tariff);
    billing::Cents quoted = 0;
    for (std::uint32_t customer = 0; customer < 12000; ++customer) {
        const auto usage = billing::usage_of(customer);
        if (customer % 5 == 0) quoted += run.quote(usage);
        run.bill(customer, usage);
    }
    std::printf("%lld cents billed, %lld quoted, %zu bytes\n", (long long)run.total(), (long long)quoted, run.bytes());
}
