// Does algebra on formulas: shared expressions, a parser, derivatives, simplification, and roots by Newton's method.
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

class Expression;
using E = std::shared_ptr<const Expression>;

class Expression {
public:
    Expression(char op, double number, E left, E right) : op(op), number(number), left(std::move(left)), right(std::move(right)) {}

    double value(double x) const
    {
        switch (op) {
        case 'n': return number;
        case 'x': return x;
        case 's': return std::sin(left->value(x));
        case 'c': return std::cos(left->value(x));
        case '+': return left->value(x) + right->value(x);
        case '-': return left->value(x) - right->value(x);
        default: return left->value(x) * right->value(x);
        }
    }

    const char op;
    const double number;
    const E left, right;
};

// Equal expressions are one object, so that they can be compared by address.
class Algebra {
public:
    E make(char op, E left = nullptr, E right = nullptr, double number = 0)
    {
        const Key key{op, number, left.get(), right.get()};
        auto it = all_.find(key);
        if (it == all_.end())
            it = all_.emplace(key, std::make_shared<const Expression>(op, number, std::move(left), std::move(right))).first; // guilty
        return it->second;
    }

    E number(double n) { return make('n', nullptr, nullptr, n); }

    E sum(E a, E b)
    {
        if (a->op == 'n' && b->op == 'n')
            return number(a->number + b->number);
        if (a->op == 'n' && a->number == 0)
            return b;
        return b->op == 'n' && b->number == 0 ? a : make('+', a, b);
    }

    E product(E a, E b)
    {
        if (a->op == 'n' && b->op == 'n')
            return number(a->number * b->number);
        for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
            if (a->op == 'n' && (a->number == 0 || a->number == 1))
                return a->number == 0 ? a : b;
        return make('*', a, b);
    }

    E derive(const E& e)
    {
        switch (e->op) {
        case 'n': return number(0);
        case 'x': return number(1);
        case 's': return product(make('c', e->left), derive(e->left));
        case 'c': return product(product(number(-1), make('s', e->left)), derive(e->left));
        case '+': return sum(derive(e->left), derive(e->right));
        case '-': return sum(derive(e->left), product(number(-1), derive(e->right)));
        default: return sum(product(derive(e->left), e->right), product(e->left, derive(e->right)));
        }
    }

    std::size_t size() const { return all_.size(); }

private:
    using Key = std::tuple<char, double, const Expression*, const Expression*>;

    std::map<Key, E> all_;
};

class Parser {
public:
    Parser(Algebra& algebra, const std::string& text) : algebra_(algebra), at_(text.c_str()) {}

    E sum()
    {
        E left = product();
        while (*at_ == '+' || *at_ == '-') {
            const char op = *at_++;
            left = op == '+' ? algebra_.sum(left, product()) : algebra_.make('-', left, product());
        }
        return left;
    }

private:
    E product()
    {
        E left = factor();
        for (; *at_ == '*'; left = algebra_.product(left, factor()))
            ++at_;
        return left;
    }

    E factor()
    {
        if (std::isdigit(static_cast<unsigned char>(*at_))) {
            double n = 0;
            for (; std::isdigit(static_cast<unsigned char>(*at_)); ++at_)
                n = 10 * n + (*at_ - '0');
            return algebra_.number(n);
        }
        const char c = *at_++;
        if (c == 'x')
            return algebra_.make('x');
        if (c != '(')
            ++at_;
        E inner = sum();
        ++at_;
        return c == '(' ? inner : algebra_.make(c, inner);
    }

    Algebra& algebra_;
    const char* at_;
};

static double root(const Expression& f, const Expression& slope, double x)
{
    for (int i = 0; i < 12; ++i)
        if (const double s = slope.value(x))
            x -= f.value(x) / s;
    return x;
}

int main()
{
    Algebra algebra;
    double sum = 0;
    for (int i = 0; i < 9000; ++i) {
        char text[120];
        std::snprintf(text, sizeof(text), "%d*x*x*x-%d*x-s(%d*x+%d)*c(x*x)+(x-%d)*(x+s(%d*x))", i % 7 + 1, i % 100, i % 90 + 2, i, i % 30, i);
        const E f = Parser(algebra, text).sum(), slope = algebra.derive(f), bend = algebra.derive(slope);
        const double x = root(*f, *slope, 0.5);
        sum += std::isfinite(x) ? std::fmod(x + bend->value(x), 100) : 0;
    }
    std::printf("%zu expressions, sum of roots %.3f\n", algebra.size(), sum);
}
