// A parser that keeps enough of a text to print it again.
#include <cctype>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct Trivia {
    enum Kind { Space, Comment } kind;
    std::string text;
};

struct Expr {
    virtual ~Expr() = default;
    virtual double value() const = 0;
    std::vector<Trivia> leading;
};

struct Number final : Expr {
    explicit Number(double v) : v(v) {}
    double value() const override { return v; }
    double v;
};

struct Binary final : Expr {
    Binary(char op, std::unique_ptr<Expr> l, std::unique_ptr<Expr> r) : op(op), left(std::move(l)), right(std::move(r)) {}
    double value() const override {
        const double a = left->value(), b = right->value();
        return op == '+' ? a + b : op == '-' ? a - b : a * b;
    }
    char op;
    std::unique_ptr<Expr> left, right;
};

template <class T, class... A>
std::unique_ptr<T> node(std::vector<Trivia>&& leading, A&&... a) {
    auto n = std::make_unique<T>(std::forward<A>(a)...);
    n->leading = std::move(leading);
    return n;
}

class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::vector<std::unique_ptr<Expr>> parseAll() {
        std::vector<std::unique_ptr<Expr>> all;
        std::vector<Trivia> leading;
        for (skipTrivia(leading); !rest_.empty(); skipTrivia(leading)) {
            all.push_back(parseSum(std::move(leading)));
            leading = {};
            expect(';');
        }
        return all;
    }

private:
    void skipTrivia(std::vector<Trivia>& into) {
        while (!rest_.empty()) {
            std::size_t n = 0;
            if (rest_[0] == '#')
                n = std::min(rest_.find('\n'), rest_.size());
            else
                while (n < rest_.size() && std::isspace(static_cast<unsigned char>(rest_[n]))) ++n;
            if (n == 0) return;
            into.push_back({rest_[0] == '#' ? Trivia::Comment : Trivia::Space, std::string(rest_.substr(0, n))});  // guilty
            rest_.remove_prefix(n);
        }
    }

    void expect(char c) {
        std::vector<Trivia> none;
        if (rest_.empty() || rest_[0] != c) throw std::runtime_error("expected " + std::string(1, c));
        rest_.remove_prefix(1);
    }

    std::unique_ptr<Expr> parseSum(std::vector<Trivia> leading) {
        auto left = parseProduct(std::move(leading));
        std::vector<Trivia> between;
        for (skipTrivia(between); !rest_.empty() && (rest_[0] == '+' || rest_[0] == '-'); skipTrivia(between)) {
            const char op = take();
            std::vector<Trivia> before;
            skipTrivia(before);
            auto right = parseProduct(std::move(before));
            left = node<Binary>(std::exchange(between, {}), op, std::move(left), std::move(right));
        }
        return left;
    }

    std::unique_ptr<Expr> parseProduct(std::vector<Trivia> leading) {
        std::unique_ptr<Expr> left = parseNumber(std::move(leading));
        while (!rest_.empty() && rest_[0] == '*') {
            take();
            std::vector<Trivia> before;
            skipTrivia(before);
            left = node<Binary>({}, '*', std::move(left), parseNumber(std::move(before)));
        }
        return left;
    }

    std::unique_ptr<Number> parseNumber(std::vector<Trivia> leading) {
        std::string digits;
        while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]))) digits += take();
        if (digits.empty()) throw std::runtime_error("no number at '" + std::string(rest_.substr(0, 10)) + "'");
        return node<Number>(std::move(leading), std::stod(digits));
    }

    char take() {
        const char c = rest_[0];
        rest_.remove_prefix(1);
        return c;
    }

    std::string_view rest_;
};

static std::string example(int lines) {
    std::string text;
    char line[256];
    for (int i = 0; i < lines; ++i) {
        std::snprintf(line, sizeof line,
                      "# The price of article %d, with the tax of its country, the transport, and what the shop adds; see the contract\n%d + %d*3 - %d;\n",
                      i, i, i % 10, i % 7);
        text += line;
    }
    return text;
}

int main() {
    double sum = 0;
    std::size_t n = 0;
    std::vector<std::unique_ptr<Expr>> all;
    {
        const std::string text = example(50000);
        all = Parser(text).parseAll();
    }
    for (const auto& e : all) sum += e->value(), n += e->leading.size();
    std::printf("%g, %zu\n", sum, n);
}
