// Parses markup fragments into a tree, strips unwanted elements and prints a digest.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

class Element : public std::enable_shared_from_this<Element> {
public:
    using Ptr = std::shared_ptr<Element>;

    explicit Element(std::string tag) : tag_(std::move(tag)) {}

    void append(const Ptr &child) {
        child->parent_ = shared_from_this(); // guilty
        children_.push_back(child);
    }

    void addText(const std::string &t) { text_ += t; }
    void setAttr(std::string k, std::string v) { attrs_.emplace_back(std::move(k), std::move(v)); }

    size_t strip(const char *tag) {
        size_t removed = 0;
        for (size_t i = 0; i < children_.size();) {
            if (children_[i]->tag_ == tag) {
                children_.erase(children_.begin() + i);
                ++removed;
            } else {
                removed += children_[i++]->strip(tag);
            }
        }
        return removed;
    }

    int depth() const {
        int d = 0;
        for (const Element *e = this; e->parent_; e = e->parent_.get())
            ++d;
        return d;
    }

    void write(std::string &out) const {
        out.append("<").append(tag_);
        for (auto &a : attrs_)
            out.append(" ").append(a.first).append("='").append(a.second).append("'");
        out.append(">").append(text_);
        for (auto &c : children_)
            c->write(out);
        out.append("</").append(tag_).append(">");
    }

    const Ptr &parent() const { return parent_; }
    const std::string &tag() const { return tag_; }

private:
    std::string tag_;
    std::string text_;
    std::vector<std::pair<std::string, std::string>> attrs_;
    Ptr parent_;
    std::vector<Ptr> children_;
};

class Parser {
public:
    explicit Parser(const std::string &src) : s_(src) {}

    Element::Ptr parse() {
        auto root = std::make_shared<Element>("root");
        Element::Ptr cur = root;
        while (pos_ < s_.size()) {
            if (s_[pos_] == '<')
                cur = readTag(cur);
            else
                cur->addText(readText());
        }
        return root;
    }

private:
    Element::Ptr readTag(const Element::Ptr &cur) {
        size_t end = s_.find('>', pos_);
        std::string name = s_.substr(pos_ + 1, end - pos_ - 1);
        pos_ = end + 1;
        if (name[0] == '/')
            return cur->parent() ? cur->parent() : cur;
        auto e = std::make_shared<Element>(name);
        e->setAttr("pos", std::to_string(end));
        cur->append(e);
        return e;
    }

    std::string readText() {
        size_t end = s_.find('<', pos_);
        if (end == std::string::npos)
            end = s_.size();
        std::string t = s_.substr(pos_, end - pos_);
        pos_ = end;
        return t;
    }

    const std::string &s_;
    size_t pos_ = 0;
};

static void generate(std::mt19937 &g, std::string &out, int level) {
    static const char *tags[] = {"div", "p", "span", "li", "script", "table", "section"};
    const char *t = tags[g() % 7];
    out.append("<").append(t).append(">");
    out.append("Lorem ipsum dolor sit amet, consectetur ", 10 + g() % 30);
    int kids = level > 0 ? int(g() % 5) : 0;
    for (int i = 0; i < kids; ++i)
        generate(g, out, level - 1);
    out.append("</").append(t).append(">");
}

static size_t clean(const std::string &page, std::string &out) {
    Element::Ptr root = Parser(page).parse();
    size_t n = root->strip("script");
    out.clear();
    root->write(out);
    return n;
}

int main() {
    std::mt19937 g(3);
    size_t removed = 0, bytes = 0;
    std::string page, out;
    for (int i = 0; i < 1100; ++i) {
        page.clear();
        for (int k = 0; k < 6; ++k)
            generate(g, page, 4);
        removed += clean(page, out);
        bytes += out.size();
        if (i % 6 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    printf("removed %zu, wrote %zu bytes\n", removed, bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
