// A spreadsheet: formulas are parsed once, and what depends on a cell is reckoned again when it changes.
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct Address {
    int column, row;
    auto operator<=>(const Address&) const = default;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Operation {
    char sign;
    ExpressionPtr left, right;
};
struct Sum {
    Address from, to;
};
struct Expression {
    std::variant<double, Address, Operation, Sum> is;
};

template <class... F>
struct overloaded : F... {
    using F::operator()...;
};

class FormulaParser {
public:
    explicit FormulaParser(std::string_view s) : rest_(s) {}
    ExpressionPtr parse() {
        auto left = term();
        while (!rest_.empty() && (rest_[0] == '+' || rest_[0] == '-')) {
            const char sign = take();
            left = make(Operation{sign, std::move(left), term()});
        }
        return left;
    }

private:
    template <class T>
    ExpressionPtr make(T&& t) {
        return std::make_unique<Expression>(Expression{std::forward<T>(t)});
    }
    char take() {
        const char c = rest_.at(0);
        rest_.remove_prefix(1);
        return c;
    }
    int number() {
        int n = 0;
        while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]))) n = n * 10 + (take() - '0');
        return n;
    }
    Address address() {
        const int column = take() - 'A';
        return {column, number()};
    }
    ExpressionPtr factor() {
        if (rest_.substr(0, 4) == "SUM(") {
            rest_.remove_prefix(4);
            const Address from = address();
            take();
            const Address to = address();
            take();
            return make(Sum{from, to});
        }
        if (std::isupper(static_cast<unsigned char>(rest_.at(0)))) return make(address());
        return make(static_cast<double>(number()));
    }
    ExpressionPtr term() {
        auto left = factor();
        while (!rest_.empty() && rest_[0] == '*') left = make(Operation{take(), std::move(left), factor()});
        return left;
    }
    std::string_view rest_;
};

struct Cell {
    ExpressionPtr formula;
    double value = 0;
    std::vector<Address> dependents;
};

class Sheet {
public:
    void set(Address a, double value) {
        Cell& c = cells_[a];
        c.formula.reset();
        c.value = value;
        spread(a);
    }
    void set(Address a, std::string_view formula) {
        cells_[a].formula = FormulaParser(formula).parse();
        recalculate(a);
        spread(a);
    }
    double value(Address a) const {
        const auto at = cells_.find(a);
        return at == cells_.end() ? 0 : at->second.value;
    }

private:
    double read(Address a, Address reader) {
        Cell& c = cells_[a];
        c.dependents.push_back(reader);  // guilty
        return c.value;
    }

    double evaluate(const Expression& e, Address self) {
        return std::visit(overloaded{
                              [](double d) { return d; },
                              [&](const Address& a) { return read(a, self); },
                              [&](const Operation& o) {
                                  const double l = evaluate(*o.left, self), r = evaluate(*o.right, self);
                                  return o.sign == '+' ? l + r : o.sign == '-' ? l - r : l * r;
                              },
                              [&](const Sum& s) {
                                  double sum = 0;
                                  for (int column = s.from.column; column <= s.to.column; ++column)
                                      for (int row = s.from.row; row <= s.to.row; ++row) sum += read({column, row}, self);
                                  return sum;
                              },
                          },
                          e.is);
    }

    bool recalculate(Address a) {
        Cell& c = cells_[a];
        if (!c.formula) return false;
        const double before = std::exchange(c.value, evaluate(*c.formula, a));
        return c.value != before;
    }

    void spread(Address changed) {
        std::set<Address> next(cells_[changed].dependents.begin(), cells_[changed].dependents.end());
        while (!next.empty()) {
            const Address a = *next.begin();
            next.erase(next.begin());
            if (!recalculate(a)) continue;
            const auto& more = cells_[a].dependents;
            next.insert(more.begin(), more.end());
        }
    }

    std::map<Address, Cell> cells_;
};

int main() {
    Sheet sheet;
    for (int row = 1; row <= 100; ++row) {
        sheet.set({0, row}, row);
        sheet.set({1, row}, "A" + std::to_string(row) + "*3+2");
        sheet.set({2, row}, "B" + std::to_string(row) + "-A" + std::to_string(row));
    }
    sheet.set({3, 1}, "SUM(A1:C100)");
    sheet.set({3, 2}, "SUM(C1:C100)*2");
    for (int edit = 0; edit < 8000; ++edit) sheet.set({0, edit * 37 % 100 + 1}, edit % 97);
    std::printf("%.1f and %.1f\n", sheet.value({3, 1}), sheet.value({3, 2}));
}
