// Renders mails from templates: parses a template into a tree once, keeps the tree by the text, and fills in each customer.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using Values = std::map<std::string, std::string>;

class Node {
public:
    virtual ~Node() = default;
    virtual void render(const Values &values, std::string &out) const = 0;
};

class Text : public Node {
public:
    explicit Text(std::string_view text) : text_(text) {}
    void render(const Values &, std::string &out) const override { out += text_; }

private:
    std::string text_;
};

class Variable : public Node {
public:
    explicit Variable(std::string_view name) : name_(name) {}
    void render(const Values &values, std::string &out) const override
    {
        auto found = values.find(name_);
        if (found != values.end())
            out += found->second;
    }

private:
    std::string name_;
};

class Block : public Node {
public:
    void append(std::unique_ptr<Node> node) { children_.push_back(std::move(node)); }
    void render(const Values &values, std::string &out) const override
    {
        for (const auto &child : children_)
            child->render(values, out);
    }

private:
    std::vector<std::unique_ptr<Node>> children_;
};

class If : public Node {
public:
    If(std::string_view name, std::unique_ptr<Node> then) : name_(name), then_(std::move(then)) {}
    void render(const Values &values, std::string &out) const override
    {
        auto found = values.find(name_);
        if (found != values.end() && !found->second.empty())
            then_->render(values, out);
    }

private:
    std::string name_;
    std::unique_ptr<Node> then_;
};

// {name} is a variable, {?name} ... {/} a condition.
class Parser {
public:
    explicit Parser(std::string_view source) : source_(source) {}

    std::unique_ptr<Block> parse()
    {
        auto block = std::make_unique<Block>();
        while (at_ < source_.size()) {
            size_t brace = source_.find('{', at_);
            if (brace == std::string_view::npos)
                brace = source_.size();
            if (brace > at_)
                block->append(std::make_unique<Text>(source_.substr(at_, brace - at_)));
            if (brace == source_.size()) {
                at_ = brace;
                break;
            }
            size_t end = source_.find('}', brace);
            std::string_view tag = source_.substr(brace + 1, end - brace - 1);
            at_ = end + 1;
            if (tag == "/")
                break;
            if (tag[0] == '?')
                block->append(std::make_unique<If>(tag.substr(1), parse()));
            else
                block->append(std::make_unique<Variable>(tag));
        }
        return block;
    }

private:
    std::string_view source_;
    size_t at_ = 0;
};

class Engine {
public:
    std::string render(const std::string &source, const Values &values)
    {
        std::string out;
        compiled(source).render(values, out);
        return out;
    }
    size_t cached() const { return cache_.size(); }

private:
    const Block &compiled(const std::string &source)
    {
        auto found = cache_.find(source);
        if (found == cache_.end())
            found = cache_.emplace(source, Parser(source).parse()).first; // guilty
        return *found->second;
    }

    std::unordered_map<std::string, std::unique_ptr<Block>> cache_;
};

class Outbox {
public:
    void send(std::string mail)
    {
        bytes_ += mail.size();
        last_[sent_++ % last_.size()] = std::move(mail);
    }
    size_t bytes() const { return bytes_; }

private:
    std::vector<std::string> last_ = std::vector<std::string>(200);
    size_t sent_ = 0, bytes_ = 0;
};

// Greets by name, in the text of the template already: marketing wanted it in the subject too.
static std::string personal(const std::string &customer, int order)
{
    return "Subject: " + customer + ", your order " + std::to_string(order) +
           " is on its way\n\nDear {name},\n\n{?express}It comes tomorrow before {hour}. {/}Your parcel {parcel} has left our house in {city}."
           "{?gift} We wrapped it as you asked.{/}\n\nKind regards,\n{clerk}\n";
}

int main()
{
    Engine engine;
    Outbox outbox;
    for (int i = 0; i < 23000; i++) {
        std::string customer = "Customer " + std::to_string(i * 7919 % 20011);
        Values values{{"name", customer}, {"parcel", "JD" + std::to_string(100000 + i)}, {"city", i % 2 ? "Kiel" : "Bonn"}, {"clerk", "M. Brandt"}};
        if (i % 4 == 0)
            values.insert({{"express", "yes"}, {"hour", "10:00"}});
        outbox.send(engine.render(personal(customer, i), values));
    }
    std::printf("%zu bytes sent, %zu templates\n", outbox.bytes(), engine.cached());
}
