// Chat hub: sessions join rooms, messages are queued per session and written by a pump.
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

class Transport {
public:
    explicit Transport(int fd) : fd_(fd) {}
    bool writable() const { return alive_; }
    void write(const std::string &s) { sent_ += s.size(); }
    void drop() { alive_ = false; }
    size_t sent() const { return sent_; }

private:
    int fd_;
    bool alive_ = true;
    size_t sent_ = 0;
};

class Session {
public:
    Session(int id, std::string nick) : nick(std::move(nick)), transport(id) {}

    void send(const std::string &line) { outbox_.push_back(frame(line)); } // guilty

    size_t pump(size_t limit) {
        size_t n = 0;
        while (n < limit && transport.writable() && !outbox_.empty()) {
            transport.write(outbox_.front());
            outbox_.pop_front();
            ++n;
        }
        return n;
    }

    std::string nick;
    Transport transport;

private:
    static std::string frame(const std::string &line) {
        std::string f;
        f.push_back(char(0x81));
        f.push_back(char(line.size() & 0x7f));
        f += line;
        return f;
    }

    std::deque<std::string> outbox_;
};

class Room {
public:
    void join(const std::shared_ptr<Session> &s) { members_.insert(s); }
    void leave(const std::shared_ptr<Session> &s) { members_.erase(s); }

    void say(const Session &from, const std::string &text) {
        std::string line = from.nick + ": " + text;
        topic_ = line.substr(0, 40);
        for (auto &m : members_)
            m->send(line);
    }

private:
    std::set<std::shared_ptr<Session>> members_;
    std::string topic_;
};

class Hub {
public:
    std::shared_ptr<Session> connect(int id) {
        auto s = std::make_shared<Session>(id, "guest" + std::to_string(id));
        sessions_[id] = s;
        rooms_[id % 6].join(s);
        return s;
    }

    void quit(int id) {
        auto it = sessions_.find(id);
        if (it == sessions_.end())
            return;
        rooms_[id % 6].leave(it->second);
        sessions_.erase(it);
    }

    void lost(int id) {
        auto it = sessions_.find(id);
        if (it != sessions_.end())
            it->second->transport.drop();
    }

    void chat(int id, const std::string &text) {
        auto it = sessions_.find(id);
        if (it != sessions_.end() && it->second->transport.writable())
            rooms_[id % 6].say(*it->second, text);
    }

    size_t pump() {
        size_t n = 0;
        for (auto &s : sessions_)
            n += s.second->pump(64);
        return n;
    }

private:
    std::map<int, std::shared_ptr<Session>> sessions_;
    Room rooms_[6];
};

int main() {
    std::mt19937 g(17);
    Hub hub;
    int id = 0;
    size_t written = 0;
    for (int t = 0; t < 2000; ++t) {
        if (t % 10 == 0) {
            hub.connect(++id);
            if (id > 60)
                g() % 3 == 0 ? hub.lost(id - 50) : hub.quit(id - 50);
        }
        for (int k = 0; k < 30; ++k)
            hub.chat(1 + int(g() % (id + 1)), std::string(300 + g() % 700, char('a' + g() % 26)));
        written += hub.pump();
        if (t % 10 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    printf("%d sessions, %zu frames written\n", id, written);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
