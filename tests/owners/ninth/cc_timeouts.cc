// A client of a payment service: sends requests over a connection, and gives each a time after which its caller is told that it
// failed. Answers come within milliseconds.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using Millis = int64_t;

class EventLoop {
public:
    using Task = std::function<void()>;
    using TimerId = uint64_t;

    Millis now() const { return now_; }

    TimerId run_after(Millis delay, Task task)
    {
        timers_.push_back({now_ + delay, ++last_id_, std::move(task)});
        std::push_heap(timers_.begin(), timers_.end(), Later());
        return last_id_;
    }

    // A cancelled timer is passed over when its time has come.
    void cancel(TimerId id) { cancelled_.insert(id); }

    void advance(Millis by)
    {
        now_ += by;
        while (!timers_.empty() && timers_.front().due <= now_) {
            std::pop_heap(timers_.begin(), timers_.end(), Later());
            Timer timer = std::move(timers_.back());
            timers_.pop_back();
            if (cancelled_.erase(timer.id) == 0)
                timer.task();
        }
    }

    size_t timers() const { return timers_.size(); }

private:
    struct Timer {
        Millis due;
        TimerId id;
        Task task;
    };
    struct Later {
        bool operator()(const Timer &a, const Timer &b) const { return a.due > b.due; }
    };
    Millis now_ = 0;
    TimerId last_id_ = 0;
    std::vector<Timer> timers_;
    std::unordered_set<TimerId> cancelled_;
};

struct Request {
    uint64_t id;
    std::string method;
    std::string path;
    std::string body;
};

struct Response {
    uint64_t id;
    int status;
    std::string body;
};

class Connection {
public:
    void send(const Request &request)
    {
        wire_.push_back(request.method + " " + request.path + "\r\nX-Request: " + std::to_string(request.id) + "\r\n\r\n" + request.body);
        ids_.push_back(request.id);
    }
    std::optional<Response> receive()
    {
        if (wire_.empty())
            return std::nullopt;
        Response response{ids_.front(), 200, "{\"state\":\"authorized\",\"bytes\":" + std::to_string(wire_.front().size()) + "}"};
        wire_.pop_front();
        ids_.pop_front();
        return response;
    }

private:
    std::deque<std::string> wire_;
    std::deque<uint64_t> ids_;
};

class PaymentClient {
public:
    using Done = std::function<void(int status, const std::string &body)>;

    PaymentClient(EventLoop &loop, Connection &connection) : loop_(loop), connection_(connection) {}

    uint64_t post(const std::string &path, std::string body, Done done)
    {
        Request request{++last_id_, "POST", path, std::move(body)};
        connection_.send(request);
        Pending pending;
        pending.done = std::move(done);
        pending.timer = loop_.run_after(kTimeout, [this, request] { give_up(request); }); // guilty
        pending_.emplace(last_id_, std::move(pending));
        return last_id_;
    }

    void poll()
    {
        while (auto response = connection_.receive()) {
            auto found = pending_.find(response->id);
            if (found == pending_.end())
                continue;
            loop_.cancel(found->second.timer);
            found->second.done(response->status, response->body);
            pending_.erase(found);
        }
    }

    unsigned long timeouts() const { return timeouts_; }

private:
    static constexpr Millis kTimeout = 15 * 60 * 1000;
    struct Pending {
        EventLoop::TimerId timer;
        Done done;
    };

    void give_up(const Request &request)
    {
        timeouts_++;
        auto found = pending_.find(request.id);
        if (found == pending_.end())
            return;
        found->second.done(504, request.path);
        pending_.erase(found);
    }

    EventLoop &loop_;
    Connection &connection_;
    uint64_t last_id_ = 0;
    unsigned long timeouts_ = 0;
    std::unordered_map<uint64_t, Pending> pending_;
};

class Till {
public:
    explicit Till(int number) : number_(number), receipts_(400) {}

    void sell(PaymentClient &client)
    {
        std::string body = "{\"till\":" + std::to_string(number_) + ",\"amount\":" + std::to_string(sold_ * 7 % 9000) + ",\"items\":[";
        for (int i = 0; i < 3 + sold_ % 8; i++)
            body += "{\"ean\":\"40" + std::to_string(10000000000 + sold_ * 13 + i) + "\",\"count\":1},";
        body.back() = ']';
        body += "}";
        sold_++;
        client.post("/v2/terminals/" + std::to_string(number_) + "/payments", std::move(body), [this](int status, const std::string &text) {
            receipts_[static_cast<size_t>(sold_) % receipts_.size()] = std::to_string(status) + " " + text;
        });
    }
    int sold() const { return sold_; }

private:
    int number_;
    int sold_ = 0;
    std::vector<std::string> receipts_;
};

int main()
{
    EventLoop loop;
    Connection connection;
    PaymentClient client(loop, connection);
    std::deque<Till> tills;
    for (int i = 0; i < 60; i++)
        tills.emplace_back(i);
    int sold = 0;
    for (int round = 0; round < 1500; round++) {
        for (auto &till : tills)
            till.sell(client);
        client.poll();
        loop.advance(400);
    }
    for (const auto &till : tills)
        sold += till.sold();
    std::printf("%d sold, %lu timeouts, %zu timers\n", sold, client.timeouts(), loop.timers());
    return 0;
}
