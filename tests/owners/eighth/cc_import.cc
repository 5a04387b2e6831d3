// Imports a supplier's price list: rows are checked against the articles, and what is wrong goes into a list for the mail.
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pricelist {

using Row = std::vector<std::string>;

enum class Severity { Warning, Error };

struct Problem {
    Severity severity;
    std::size_t line;
    std::string message;
    Row row;
};

struct Article {
    std::string number;
    std::string name;
    long price_cents = 0;
    long stock = 0;
};

class Articles {
public:
    void load(std::size_t count)
    {
        by_number_.reserve(count);
        for (std::size_t i = 0; i < count; i++) {
            std::string number = "4006381" + std::to_string(100000 + i);
            by_number_[number] = {number, "Fountain pen of the series " + std::to_string(i / 20) + ", nib " + std::to_string(i % 20), 1999, 12};
        }
    }
    Article *find(const std::string &number)
    {
        auto found = by_number_.find(number);
        return found == by_number_.end() ? nullptr : &found->second;
    }

private:
    std::unordered_map<std::string, Article> by_number_;
};

Row split(std::string_view line, char separator)
{
    Row row;
    std::size_t from = 0;
    while (true) {
        const auto at = line.find(separator, from);
        row.emplace_back(line.substr(from, at - from));
        if (at == std::string_view::npos)
            return row;
        from = at + 1;
    }
}

std::optional<long> cents(const std::string &text)
{
    long euros = 0;
    int rest = 0;
    if (std::sscanf(text.c_str(), "%ld,%2d", &euros, &rest) != 2)
        return std::nullopt;
    return euros * 100 + rest;
}

template <class... Parts> std::string concat(const Parts &...parts)
{
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

class Importer {
public:
    explicit Importer(Articles &articles) : articles_(articles) {}

    void run(std::istream &list)
    {
        std::string line;
        while (std::getline(list, line)) {
            line_++;
            Row row = split(line, ';');
            if (row.size() < 6)
                complain(Severity::Error, concat("expected 6 columns, found ", row.size()), row);
            else
                take(row);
        }
    }

    std::string mail(std::size_t most) const
    {
        std::string text = concat(imported_, " prices imported, ", problems_.size(), " problems\n");
        for (std::size_t i = 0; i < problems_.size() && i < most; i++)
            text += concat("line ", problems_[i].line, ": ", problems_[i].message, " (", problems_[i].row.front(), ")\n");
        return text;
    }

private:
    void take(const Row &row)
    {
        Article *article = articles_.find(row[0]);
        if (article == nullptr) {
            complain(Severity::Warning, concat("article ", row[0], " of supplier ", row[4], " is not in our assortment"), row);
            return;
        }
        const auto price = cents(row[2]);
        if (!price) {
            complain(Severity::Error, concat("price '", row[2], "' of article ", article->number, " is not of the form 0,00"), row);
            return;
        }
        if (*price > article->price_cents * 2)
            complain(Severity::Warning, concat("price of ", article->name, " rose from ", article->price_cents, " to ", *price), row);
        article->price_cents = *price;
        imported_++;
    }

    void complain(Severity severity, std::string message, const Row &row)
    {
        problems_.push_back({severity, line_, std::move(message), row}); // guilty
    }

    Articles &articles_;
    std::vector<Problem> problems_;
    std::size_t line_ = 0, imported_ = 0;
};

// As the supplier sends it: all of his articles, not only those that we have.
std::string example_list(std::size_t part)
{
    std::ostringstream out;
    for (std::size_t i = 0; i < 3000; i++) {
        const std::size_t number = (part * 3000 + i * 7) % 300000;
        out << "4006381" << 100000 + number << ";Pen " << number << " with a converter, in a box of metal;" << 10 + number % 30 << (number % 11 ? "," : ".")
            << 10 + number % 80 << ";EUR;Schreibwaren Nord GmbH & Co. KG;2026-11-" << 10 + number % 20 << "\n";
    }
    return out.str();
}

} // namespace pricelist

int main()
{
    pricelist::Articles articles;
    articles.load(30000);
    pricelist::Importer importer(articles);
    for (std::size_t part = 0; part < 24; part++) {
        std::istringstream list(pricelist::example_list(part));
        importer.run(list);
    }
    std::cout << importer.mail(3);
}
