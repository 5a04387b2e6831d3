// Receives alerts of a monitoring system, groups them, drops what it has notified of already, and sends mails and chat messages.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace alerting {

using Labels = std::map<std::string, std::string>;

struct Alert {
    Labels labels;
    Labels annotations;
    std::time_t starts_at;
    bool firing;
};

std::string fingerprint(const Labels &labels)
{
    std::string text;
    for (const auto &[name, value] : labels) {
        text += name;
        text += '\xff';
        text += value;
        text += '\xff';
    }
    return text;
}

class Receiver {
public:
    virtual ~Receiver() = default;
    virtual void notify(const std::string &group, const std::vector<const Alert *> &alerts) = 0;
};

class Mail : public Receiver {
public:
    explicit Mail(std::string to) : to_(std::move(to)), outbox_(64) {}
    void notify(const std::string &group, const std::vector<const Alert *> &alerts) override
    {
        std::string text = "To: " + to_ + "\nSubject: [" + std::to_string(alerts.size()) + "] " + group + "\n\n";
        for (const auto *alert : alerts)
            for (const auto &[name, value] : alert->annotations)
                text += name + ": " + value + "\n";
        outbox_[sent_++ % outbox_.size()] = std::move(text);
    }

private:
    std::string to_;
    std::vector<std::string> outbox_;
    size_t sent_ = 0;
};

class Chat : public Receiver {
public:
    void notify(const std::string &group, const std::vector<const Alert *> &alerts) override
    {
        messages_++;
        last_ = group + ": " + std::to_string(alerts.size()) + " alerts";
    }
    unsigned messages() const { return messages_; }

private:
    unsigned messages_ = 0;
    std::string last_;
};

class Silences {
public:
    void add(const std::string &name, const std::string &value, std::time_t until) { rules_.push_back({name, value, until}); }
    bool mutes(const Alert &alert, std::time_t now) const
    {
        return std::any_of(rules_.begin(), rules_.end(), [&](const Rule &rule) {
            auto found = alert.labels.find(rule.name);
            return rule.until > now && found != alert.labels.end() && found->second == rule.value;
        });
    }

private:
    struct Rule {
        std::string name, value;
        std::time_t until;
    };
    std::vector<Rule> rules_;
};

class Dispatcher {
public:
    void route(std::string team, std::unique_ptr<Receiver> receiver) { receivers_[std::move(team)] = std::move(receiver); }
    Silences &silences() { return silences_; }

    void receive(const std::vector<Alert> &alerts, std::time_t now)
    {
        std::map<std::string, std::vector<const Alert *>> groups;
        for (const auto &alert : alerts) {
            if (silences_.mutes(alert, now) || already_notified(alert))
                continue;
            groups[alert.labels.at("team")].push_back(&alert);
        }
        for (const auto &[team, group] : groups) {
            notified_ += group.size();
            auto found = receivers_.find(team);
            if (found != receivers_.end())
                found->second->notify(team, group);
        }
    }

    void report() const { std::printf("%lu notified, %zu known\n", notified_, seen_.size()); }

private:
    bool already_notified(const Alert &alert)
    {
        const std::string key = fingerprint(alert.labels) + std::to_string(alert.starts_at) + (alert.firing ? "+" : "-");
        return !seen_.insert(key).second; // guilty
    }

    std::map<std::string, std::unique_ptr<Receiver>> receivers_;
    std::unordered_set<std::string> seen_;
    Silences silences_;
    unsigned long notified_ = 0;
};

class Cluster {
public:
    explicit Cluster(int nodes) : states_(static_cast<size_t>(nodes) * 30) {}

    std::vector<Alert> evaluate(std::time_t now)
    {
        std::vector<Alert> alerts;
        for (int i = 0; i < 240; i++) {
            random_ = random_ * 1664525 + 1013904223;
            const size_t pod = (random_ >> 8) % states_.size();
            std::string &state = states_[pod];
            state = state.empty() ? "CrashLoopBackOff: back-off 5m0s restarting failed container" : "";
            Alert alert;
            alert.labels = {{"alertname", "PodNotReady"}, {"team", pod % 3 ? "platform" : "shop"}, {"namespace", "ns-" + std::to_string(pod % 40)},
                            {"pod", "worker-6d4cf56db6-" + std::to_string(pod)}, {"severity", pod % 5 ? "warning" : "critical"}};
            alert.annotations = {{"summary", "A pod is not ready for ten minutes"}, {"state", state}};
            alert.starts_at = now - now % 900;
            alert.firing = !state.empty();
            alerts.push_back(std::move(alert));
        }
        return alerts;
    }

private:
    std::vector<std::string> states_;
    unsigned random_ = 1;
};

} // namespace alerting

int main()
{
    alerting::Dispatcher dispatcher;
    dispatcher.route("platform", std::make_unique<alerting::Mail>("platform@example.org"));
    dispatcher.route("shop", std::make_unique<alerting::Chat>());
    dispatcher.silences().add("namespace", "ns-7", 1700400000);
    alerting::Cluster cluster(1200);
    for (std::time_t now = 1700000000; now < 1700000000 + 600 * 900; now += 900)
        dispatcher.receive(cluster.evaluate(now), now);
    dispatcher.report();
    return 0;
}
