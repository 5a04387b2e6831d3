// rulebook: evaluates formulas that users type into the report filter box.
#include <cctype>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Row { std::unordered_map<std::string, double> cols; };

struct Expr {
    virtual ~Expr() = default;
    virtual double eval(const Row& r) const = 0;
};
using ExprPtr = std::unique_ptr<Expr>;

struct Number : Expr {
    double v;
    explicit Number(double x) : v(x) {}
    double eval(const Row&) const override { return v; }
};
struct Column : Expr {
    std::string name;
    explicit Column(std::string n) : name(std::move(n)) {}
    double eval(const Row& r) const override {
        auto it = r.cols.find(name);
        return it == r.cols.end() ? 0 : it->second;
    }
};
struct Binary : Expr {
    char op;
    ExprPtr a, b;
    Binary(char o, ExprPtr x, ExprPtr y) : op(o), a(std::move(x)), b(std::move(y)) {}
    double eval(const Row& r) const override {
        double x = a->eval(r), y = b->eval(r);
        switch (op) {
        case '+': return x + y;
        case '-': return x - y;
        case '*': return x * y;
        default: return x > y;
        }
    }
};

class Parser {
public:
    explicit Parser(const std::string& s) : s_(s) {}
    ExprPtr parse() { return compare(); }
private:
    ExprPtr compare() {
        auto l = sum();
        while (peek() == '>') { ++i_; l = std::make_unique<Binary>('>', std::move(l), sum()); }
        return l;
    }
    ExprPtr sum() {
        auto l = product();
        while (peek() == '+' || peek() == '-') {
            char op = s_[i_++];
            l = std::make_unique<Binary>(op, std::move(l), product());
        }
        return l;
    }
    ExprPtr product() {
        auto l = atom();
        while (peek() == '*') { ++i_; l = std::make_unique<Binary>('*', std::move(l), atom()); }
        return l;
    }
    ExprPtr atom() {
        char c = peek();
        if (c == '(') { ++i_; auto e = compare(); if (peek() == ')') ++i_; return e; }
        size_t st = i_;
        if (std::isalpha(static_cast<unsigned char>(c))) {
            while (i_ < s_.size() && (std::isalnum(static_cast<unsigned char>(s_[i_])) || s_[i_] == '_')) ++i_;
            return std::make_unique<Column>(s_.substr(st, i_ - st));
        }
        while (i_ < s_.size() && (std::isdigit(static_cast<unsigned char>(s_[i_])) || s_[i_] == '.')) ++i_;
        if (i_ == st) { ++i_; return std::make_unique<Number>(0); }
        return std::make_unique<Number>(std::stod(s_.substr(st, i_ - st)));
    }
    char peek() {
        while (i_ < s_.size() && s_[i_] == ' ') ++i_;
        return i_ < s_.size() ? s_[i_] : '\0';
    }
    const std::string& s_;
    size_t i_ = 0;
};

class FormulaEngine {
public:
    const Expr& compiled(const std::string& text) {
        auto it = programs_.find(text);
        if (it == programs_.end()) {
            Parser p(text);
            it = programs_.emplace(text, p.parse()).first; // guilty
        }
        return *it->second;
    }
    size_t run(const std::string& text, const std::vector<Row>& rows) {
        const Expr& e = compiled(text);
        size_t n = 0;
        for (auto& r : rows) n += e.eval(r) > 0;
        return n;
    }
private:
    std::unordered_map<std::string, ExprPtr> programs_;
};

class PageBuffer {
public:
    const std::vector<Row>& load_page(int page) {
        auto& rows = pages_[size_t(page) % pages_.size()];
        if (rows.empty()) {
            rows.resize(60);
            for (size_t i = 0; i < rows.size(); ++i)
                for (const char* c : {"price", "qty", "discount", "weight"}) rows[i].cols[c] = double((i * 37 + size_t(page)) % 91);
        }
        return rows;
    }
private:
    std::vector<std::vector<Row>> pages_{100};
};

static std::string typed_formula(std::mt19937& rng) {
    static const char* cols[] = {"price", "qty", "discount", "weight"};
    std::string s;
    int terms = 4 + int(rng() % 10);
    for (int i = 0; i < terms; ++i) {
        if (i) s += rng() % 2 ? " + " : " - ";
        s += "(" + std::string(cols[rng() % 4]) + " * " + std::to_string(rng() % 10000) + ".5)";
    }
    return s + " > " + std::to_string(rng() % 100000);
}

int main() {
    FormulaEngine engine;
    PageBuffer pages;
    std::mt19937 rng(5);
    size_t matched = 0;
    for (int tick = 0; tick < 400; ++tick) {
        for (int i = 0; i < 75; ++i) matched += engine.run(typed_formula(rng), pages.load_page(int(rng() % 300)));
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    std::printf("matched %zu rows\n", matched);
}
