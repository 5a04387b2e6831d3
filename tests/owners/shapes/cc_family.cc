#include <cstdio>
#include <memory>
#include <string>
#include <vector>
class Person : public std::enable_shared_from_this<Person> {
  public:
    explicit Person(std::string name) : name_(std::move(name)) {}
    void adopt(const std::shared_ptr<Person> &child) {
        children_.push_back(child);
        child->parent_ = shared_from_this(); // guilty
    }
    std::size_t size() const {
        std::size_t n = 1;
        for (const auto &c : children_) n += c->size();
        return n;
    }
  private:
    std::string name_;
    std::shared_ptr<Person> parent_;
    std::vector<std::shared_ptr<Person>> children_;
};
static std::shared_ptr<Person> person(int n) { return std::make_shared<Person>("somebody with a rather long name, number " + std::to_string(n)); }
static std::size_t family(int n) {
    auto head = person(n);
    for (int i = 0; i < 9; i++) {
        auto child = person(n * 10 + i);
        head->adopt(child);
    }
    return head->size();
}
static std::size_t guess(int n) { auto alone = person(n); return alone->size(); }
int main() {
    std::size_t total = 0;
    for (int i = 0; i < 20000; i++) total += family(i) + guess(i);
    std::printf("%zu\n", total);
}
