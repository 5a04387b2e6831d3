#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
struct Request { std::string path; std::string body; };
struct Response { int status; std::string body; };
class Session {
  public:
    explicit Session(std::string id) : id_(std::move(id)) {}
    void set(const std::string &key, std::string value) { values_[key] = std::move(value); }
    std::size_t size() const { return values_.size(); }
  private:
    std::string id_;
    std::unordered_map<std::string, std::string> values_;
};
class Sessions {
  public:
    Session &find(const std::string &id) {
        auto &slot = sessions_[id];
        if (!slot) slot = std::make_unique<Session>(id);
        return *slot;
    }
    std::size_t size() const { return sessions_.size(); }
  private:
    std::unordered_map<std::string, std::unique_ptr<Session>> sessions_;
};
class Shop {
  public:
    Response handle(const Request &r) {
        if (r.path == "/basket") return basket(r);
        if (r.path == "/look") return look(r);
        return {404, "nothing here"};
    }
    std::size_t size() const { return sessions_.size(); }
  private:
    Response basket(const Request &r) {
        Session &s = sessions_.find("customer" + std::to_string(n_++ / 3));
        s.set("basket" + std::to_string(n_), r.body + " and what goes with it in the next years"); // guilty
        return {200, "put " + r.body};
    }
    Response look(const Request &r) { return {200, std::string(2000, r.body[0])}; }
    Sessions sessions_;
    int n_ = 0;
};
int main() {
    Shop shop;
    std::size_t sent = 0;
    for (int i = 0; i < 300000; i++) sent += shop.handle({i % 2 ? "/basket" : "/look", "a pair of red shoes of size " + std::to_string(i % 50)}).body.size();
    std::printf("%zu %zu\n", sent, shop.size());
}
