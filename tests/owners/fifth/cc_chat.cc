// Rooms and people. Who is away finds what was said when coming back.
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Message
{
    std::uint64_t id;
    std::string from, room, text;
    std::vector<std::string> mentions;
};
using MessagePtr = std::shared_ptr<const Message>;

class MessageFactory
{
public:
    MessagePtr make(const std::string& from, const std::string& room, const std::string& text)
    {
        auto m = std::make_shared<Message>();
        m->id = ++last_;
        m->from = from;
        m->room = room;
        m->text = text;
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1))
            m->mentions.push_back(text.substr(at + 1, text.find(' ', at) - at - 1));
        return m;
    }
private:
    std::uint64_t last_ = 0;
};

class Mailbox
{
public:
    void deliver(MessagePtr m) { waiting_.push_back(std::move(m)); }
    std::size_t drain()
    {
        std::size_t n = waiting_.size();
        waiting_.clear();
        waiting_.shrink_to_fit();
        return n;
    }
    std::size_t size() const { return waiting_.size(); }
private:
    std::deque<MessagePtr> waiting_;
};

struct Person
{
    std::string name;
    bool online = false;
    Mailbox mailbox;
};

class Room
{
public:
    Room(std::string title, MessageFactory& messages) : title_(std::move(title)), messages_(messages) {}

    void join(Person& who)
    {
        members_.push_back(&who);
        who.mailbox.deliver(messages_.make("system", title_, "Welcome to " + title_ + ", " + who.name + "!"));
    }

    // One message for each who is away, as "@you" differs; nobody is ever dropped from a room.
    void say(const Person& who, const std::string& text)
    {
        for (Person* member : members_) {
            if (member->online || member == &who)
                continue;
            member->mailbox.deliver(messages_.make(who.name, title_, "@" + member->name + " missed: " + text)); // guilty
        }
        spoken_++;
    }

    unsigned spoken() const { return spoken_; }

private:
    std::string title_;
    MessageFactory& messages_;
    std::vector<Person*> members_;
    unsigned spoken_ = 0;
};

class Server
{
public:
    Person& person(const std::string& name)
    {
        auto& slot = people_[name];
        if (!slot)
            slot.reset(new Person{name, false, {}});
        return *slot;
    }
    Room& room(const std::string& title)
    {
        auto at = rooms_.find(title);
        if (at == rooms_.end())
            at = rooms_.emplace(title, Room(title, messages_)).first;
        return at->second;
    }
    std::size_t connect(const std::string& name)
    {
        Person& p = person(name);
        p.online = true;
        return p.mailbox.drain();
    }
    void disconnect(const std::string& name) { person(name).online = false; }
    std::size_t waiting() const
    {
        std::size_t sum = 0;
        for (const auto& [name, p] : people_)
            sum += p->mailbox.size();
        return sum;
    }

private:
    MessageFactory messages_;
    std::unordered_map<std::string, std::unique_ptr<Person>> people_;
    std::map<std::string, Room> rooms_;
};

int main()
{
    Server server;
    std::size_t read = 0;
    for (int i = 0; i < 900; i++)
        server.room("room " + std::to_string(i % 12)).join(server.person("user" + std::to_string(i)));
    for (int i = 0; i < 2600; i++) {
        std::string name = "user" + std::to_string(i * 31 % 300);
        read += server.connect(name);
        server.room("room " + std::to_string(i % 12)).say(server.person(name), "is anyone here, number " + std::to_string(i) + "?");
        if (i % 3)
            server.disconnect(name);
    }
    std::cout << read << " read, " << server.waiting() << " waiting\n";
}
