// chatsrv - chat rooms with moderation and presence; bots stand in for the users.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Message {
    uint64_t id;
    int author;
    std::string text;
    std::vector<int> mentions;
};

class Presence {
public:
    void touch(int user, long now) { seen_[user % 2000] = now; }
    size_t online(long now) const {
        size_t n = 0;
        for (auto& [u, t] : seen_) n += now - t < 500;
        return n;
    }
private:
    std::map<int, long> seen_;
};

class Moderator {
public:
    explicit Moderator(std::set<std::string> banned) : banned_(std::move(banned)) {}
    bool allowed(const std::string& text) {
        std::istringstream in(text);
        std::string word;
        while (in >> word)
            if (banned_.count(word)) {
                recent_.push_back(text);
                if (recent_.size() > 500) recent_.pop_front();
                return false;
            }
        return true;
    }
    size_t rejected() const { return recent_.size(); }
private:
    std::set<std::string> banned_;
    std::deque<std::string> recent_;
};

class Room {
public:
    explicit Room(std::string name) : name_(std::move(name)) {}

    void post(int author, std::string text) {
        auto mentions = find_mentions(text);
        auto m = std::make_shared<const Message>(Message{++last_id_, author, std::move(text), std::move(mentions)});
        backlog_.push_back(m); // guilty
        for (int u : m->mentions) notify(u, *m);
    }

    std::string recap(size_t n = 30) const {
        std::string out = "#" + name_ + "\n";
        size_t from = backlog_.size() > n ? backlog_.size() - n : 0;
        for (size_t i = from; i < backlog_.size(); i++)
            out += std::to_string(backlog_[i]->author) + ": " + backlog_[i]->text + "\n";
        return out;
    }
    size_t notified() const { return notified_; }

private:
    static std::vector<int> find_mentions(const std::string& t) {
        std::vector<int> out;
        for (size_t p = t.find('@'); p != std::string::npos; p = t.find('@', p + 1))
            out.push_back(std::atoi(t.c_str() + p + 1));
        return out;
    }
    void notify(int user, const Message& m) {
        std::string mail = "to " + std::to_string(user) + ": you were mentioned in " + name_ + ": " + m.text;
        notified_ += mail.size() > 0;
    }

    std::string name_;
    uint64_t last_id_ = 0;
    size_t notified_ = 0;
    std::vector<std::shared_ptr<const Message>> backlog_;
};

class Server {
public:
    Server() : mod_({"spam", "casino", "crypto"}) {}
    Room& room(const std::string& n) {
        auto& r = rooms_[n];
        if (!r) r = std::make_unique<Room>(n);
        return *r;
    }
    void receive(int user, const std::string& where, std::string text, long now) {
        presence_.touch(user, now);
        if (!mod_.allowed(text)) return;
        room(where).post(user, std::move(text));
    }
    size_t join(const std::string& where) { return room(where).recap().size(); }
    size_t online(long now) const { return presence_.online(now); }
    size_t rejected() const { return mod_.rejected(); }
private:
    std::map<std::string, std::unique_ptr<Room>> rooms_;
    Presence presence_;
    Moderator mod_;
};

static std::string chatter(uint32_t x) {
    static const char* words[] = {"deploy", "is", "done", "and", "the", "build", "went", "red", "again", "spam", "lunch", "review", "please", "@17", "@230"};
    std::string s;
    for (int i = 0; i < 12 + int(x % 50); i++) {
        x = x * 1664525u + 1013904223u;
        uint32_t k = (x >> 10) % 1000;
        s += k == 9 ? words[9] : words[k % 9 + (k % 2 ? 6 : 0)][0] == 's' ? "so" : words[k % 9];
        s += k % 97 == 0 ? " @" + std::to_string(k) + " " : " ";
    }
    return s;
}

int main() {
    Server srv;
    size_t bytes = 0;
    for (uint32_t i = 0; i < 150000; i++) {
        srv.receive(int(i * 31 % 5000), "room" + std::to_string(i % 60), chatter(i * 2654435761u), i);
        if (i % 20 == 0) bytes += srv.join("room" + std::to_string(i / 20 % 60));
        if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(6));
    }
    std::printf("recaps %zu bytes, online %zu, rejected %zu\n", bytes, srv.online(150000), srv.rejected());
}
