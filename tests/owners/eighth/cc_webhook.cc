// Receives webhooks: payloads of JSON are parsed, handled, and may be delivered again from the journal of deliveries.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::map<std::string, Json>;

    Json() = default;
    explicit Json(double number) : value_(number) {}
    explicit Json(std::string text) : value_(std::move(text)) {}
    explicit Json(Array items) : value_(std::move(items)) {}
    explicit Json(Object members) : value_(std::move(members)) {}

    const Json &at(const std::string &name) const { return std::get<Object>(value_).at(name); }
    const std::string &text() const { return std::get<std::string>(value_); }
    double number() const { return std::get<double>(value_); }
    const Array &items() const { return std::get<Array>(value_); }

private:
    std::variant<std::nullptr_t, double, std::string, Array, Object> value_;
};

class JsonParser {
public:
    explicit JsonParser(const std::string &source) : at_(source.c_str()) {}

    Json parse()
    {
        skip();
        switch (*at_) {
        case '{': return object();
        case '[': return array();
        case '"': return Json(string());
        default: break;
        }
        char *end = nullptr;
        const double number = std::strtod(at_, &end);
        if (end == at_)
            throw std::runtime_error("payload is no JSON");
        at_ = end;
        return Json(number);
    }

private:
    void skip()
    {
        while (std::isspace(static_cast<unsigned char>(*at_)) || *at_ == ',' || *at_ == ':')
            at_++;
    }
    std::string string()
    {
        const char *start = ++at_;
        while (*at_ != '"' && *at_ != '\0')
            at_++;
        return std::string(start, at_++);
    }
    Json array()
    {
        Json::Array items;
        for (at_++, skip(); *at_ != ']'; skip())
            items.push_back(parse());
        at_++;
        return Json(std::move(items));
    }
    Json object()
    {
        Json::Object members;
        for (at_++, skip(); *at_ != '}'; skip()) {
            std::string name = string();
            skip();
            members.emplace(std::move(name), parse());
        }
        at_++;
        return Json(std::move(members));
    }

    const char *at_;
};

struct Delivery {
    std::uint64_t id;
    std::string event;
    int status;
    Json payload;
};

class Deliveries {
public:
    void record(std::uint64_t id, const std::string &event, int status, const Json &payload)
    {
        Delivery delivery{id, event, status, payload}; // guilty
        by_id_[id] = all_.size();
        all_.push_back(std::move(delivery));
    }
    const Delivery *find(std::uint64_t id) const
    {
        auto found = by_id_.find(id);
        return found == by_id_.end() ? nullptr : &all_[found->second];
    }
    std::size_t size() const { return all_.size(); }

private:
    std::vector<Delivery> all_;
    std::unordered_map<std::uint64_t, std::size_t> by_id_;
};

class Repositories {
public:
    void load(int count)
    {
        for (int i = 0; i < count; i++) {
            auto &settings = known_["team-" + std::to_string(i % 40) + "/repository-" + std::to_string(i)];
            settings.secret = std::string(40, static_cast<char>('a' + i % 26));
            for (int branch = 0; branch < 6; branch++)
                settings.protected_branches.push_back("release/" + std::to_string(i) + "." + std::to_string(branch) + "-maintenance");
        }
    }
    void pushed(const std::string &name, std::size_t commits) { known_.at(name).commits += commits; }

private:
    struct Settings {
        std::string secret;
        std::vector<std::string> protected_branches;
        std::size_t commits = 0;
    };
    std::unordered_map<std::string, Settings> known_;
};

class Receiver {
public:
    Receiver(Repositories &repositories, Deliveries &deliveries) : repositories_(repositories), deliveries_(deliveries) {}

    int receive(std::uint64_t id, const std::string &body)
    {
        int status = 202;
        const Json payload = JsonParser(body).parse();
        try {
            repositories_.pushed(payload.at("repository").at("full_name").text(), payload.at("commits").items().size());
        } catch (const std::out_of_range &) {
            status = 404;
        }
        deliveries_.record(id, "push", status, payload);
        return status;
    }

private:
    Repositories &repositories_;
    Deliveries &deliveries_;
};

static std::string example_push(int number)
{
    std::string body = R"({"ref":"refs/heads/main","repository":{"full_name":"team-)" + std::to_string(number % 40) + "/repository-" +
                       std::to_string(number % 9000) + R"(","size":)" + std::to_string(number) + R"(},"commits":[)";
    for (int i = 0; i < 3 + number % 3; i++)
        body += R"({"message":"Mend the build of part )" + std::to_string(i) + R"( after the move","author":{"name":"Developer )" +
                std::to_string(number % 70) + R"(","email":"developer@example.org"},"added":)" + std::to_string(i) + "},";
    return body + "]}";
}

int main()
{
    Repositories repositories;
    Deliveries deliveries;
    repositories.load(9000);
    Receiver receiver(repositories, deliveries);
    int accepted = 0;
    for (int i = 0; i < 12000; i++)
        accepted += receiver.receive(70000 + static_cast<std::uint64_t>(i), example_push(i)) == 202;
    const Delivery *again = deliveries.find(70005);
    std::cout << accepted << " of " << deliveries.size() << " accepted; again: " << (again ? again->payload.at("ref").text() : "none") << "\n";
}
