// Header fields of HTTP/2: each connection has a table of those seen, by which they are sent in a few bytes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace http2 {

using Field = std::pair<std::string, std::string>;
using Bytes = std::vector<std::uint8_t>;

static const std::array<Field, 8> kStatic = {{{":method", "GET"}, {":method", "POST"}, {":path", "/"}, {":scheme", "https"}, {":status", "200"}, {"accept", "*/*"}, {"user-agent", ""}, {"cookie", ""}}};

class Table {
public:
    explicit Table(std::size_t limit) : limit_(limit) {}

    const Field& at(std::size_t index) const {
        if (index == 0) throw std::out_of_range("index 0");
        return index <= kStatic.size() ? kStatic[index - 1] : fields_.at(index - kStatic.size() - 1);
    }

    std::size_t index_of(std::string_view name, std::string_view value) const {
        for (std::size_t i = 0; i < kStatic.size() + fields_.size() && i < 64; ++i) {
            const Field& f = at(i + 1);
            if (f.first == name && f.second == value) return i + 1;
        }
        return 0;
    }

    void insert(std::string_view name, std::string_view value) {
        fields_.emplace_front(name, value);  // guilty
        size_ += name.size() + value.size() + 32;
        while (size_ > limit_ && !fields_.empty()) evict();
    }

    void resize(std::size_t limit) {
        limit_ = limit;
        while (size_ > limit_ && !fields_.empty()) evict();
    }

    std::size_t count() const { return fields_.size(); }

private:
    void evict() {
        const Field& last = fields_.back();
        size_ -= last.first.size() + last.second.size() + 32;
        fields_.pop_back();
    }

    std::deque<Field> fields_;
    std::size_t size_ = 0, limit_;
};

class Encoder {
public:
    Bytes encode(std::span<const Field> fields) {
        Bytes out;
        for (const auto& [name, value] : fields) {
            if (const auto index = table_.index_of(name, value)) {
                out.push_back(static_cast<std::uint8_t>(0x80 | index));
                continue;
            }
            out.push_back(0x40);
            text(out, name);
            text(out, value);
            table_.insert(name, value);
        }
        return out;
    }

private:
    static void text(Bytes& out, std::string_view s) {
        out.push_back(static_cast<std::uint8_t>(s.size()));
        out.insert(out.end(), s.begin(), s.end());
    }
    Table table_{4096};
};

class Decoder {
public:
    // The peer may ask for less, which is told in the first block of fields.
    explicit Decoder(std::size_t limit) : table_(limit) {}

    std::vector<Field> decode(std::span<const std::uint8_t> in) {
        std::vector<Field> fields;
        while (!in.empty()) {
            const auto first = in.front();
            in = in.subspan(1);
            if (first & 0x80) {
                fields.push_back(table_.at(first & 0x7f));
                continue;
            }
            const std::string_view name = text(in), value = text(in);
            fields.emplace_back(name, value);
            table_.insert(name, value);
        }
        return fields;
    }
    std::size_t held() const { return table_.count(); }

private:
    static std::string_view text(std::span<const std::uint8_t>& in) {
        const std::size_t n = in.front();
        const std::string_view s(reinterpret_cast<const char*>(in.data()) + 1, n);
        in = in.subspan(n + 1);
        return s;
    }
    Table table_;
};

struct Connection {
    Decoder decoder{16u << 20};
    std::uint64_t requests = 0;
    std::unordered_map<std::string, unsigned> paths;

    void receive(std::span<const std::uint8_t> block) {
        for (auto& [name, value] : decoder.decode(block))
            if (name == ":path") ++paths[value.substr(0, value.find('/', 1))];
        ++requests;
    }
};

class Client {
public:
    explicit Client(unsigned id) : id_(id) {}
    Bytes request(unsigned n) {
        const std::vector<Field> fields = {
            {":method", "GET"},
            {":scheme", "https"},
            {":path", "/items/" + std::to_string(n) + "?page=" + std::to_string(n % 10)},
            {"user-agent", "measuring-client/" + std::to_string(id_)},
            {"x-request-id", "0b4a7c3e-" + std::to_string(id_ * 1000003u + n) + "-4d1f-a7b2-000000000000"},
            {"cookie", "session=" + std::string(40, 'a' + n % 26) + std::to_string(n)},
        };
        return encoder_.encode(fields);
    }

private:
    unsigned id_;
    Encoder encoder_;
};

}  // namespace http2

int main() {
    std::vector<std::unique_ptr<http2::Connection>> open;
    for (unsigned id = 0; id < 6; ++id) {
        http2::Client client(id);
        auto& connection = *open.emplace_back(std::make_unique<http2::Connection>());
        for (unsigned n = 0; n < 16000; ++n) connection.receive(client.request(n));
    }
    for (const auto& c : open) std::printf("%lu requests, %zu fields, %zu paths\n", (unsigned long)c->requests, c->decoder.held(), c->paths.size());
}
