// The index of a language server: finds the symbols of each file, again when it is edited, and answers where a name is defined.
#include <cctype>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Position {
    unsigned line = 0, column = 0;
};

enum class Kind { Function, Class, Variable };

struct Symbol {
    std::string name;
    std::string container;
    std::string signature;
    Kind kind;
    Position position;
};

class SourceFile {
public:
    SourceFile(std::string uri, std::string text) : uri_(std::move(uri)), text_(std::move(text)) {}

    const std::string &uri() const { return uri_; }
    const std::string &text() const { return text_; }
    int version() const { return version_; }

    void replace_line(unsigned number, std::string_view with)
    {
        size_t from = 0;
        while (number-- > 0 && (from = text_.find('\n', from)) != std::string::npos)
            from++;
        if (from == std::string::npos)
            return;
        text_.replace(from, text_.find('\n', from) - from, with);
        version_++;
    }

private:
    std::string uri_;
    std::string text_;
    int version_ = 1;
};

// Enough of a parser for declarations at the beginning of a line.
class Outline {
public:
    explicit Outline(std::string_view text) : text_(text) {}

    std::vector<Symbol> symbols()
    {
        std::vector<Symbol> found;
        std::string container;
        for (unsigned line = 0; !text_.empty(); line++) {
            std::string_view row = text_.substr(0, text_.find('\n'));
            text_.remove_prefix(std::min(row.size() + 1, text_.size()));
            const size_t indent = row.find_first_not_of(' ');
            if (indent == std::string_view::npos)
                continue;
            row.remove_prefix(indent);
            const bool is_class = row.substr(0, 6) == "class ", is_function = row.substr(0, 4) == "def ";
            if (!is_class && !is_function)
                continue;
            Symbol symbol;
            symbol.name = word(row.substr(is_class ? 6 : 4));
            symbol.container = indent ? container : "";
            symbol.signature = row;
            symbol.kind = is_class ? Kind::Class : Kind::Function;
            symbol.position = {line, static_cast<unsigned>(indent)};
            if (is_class)
                container = symbol.name;
            found.push_back(std::move(symbol));
        }
        return found;
    }

private:
    static std::string word(std::string_view from)
    {
        size_t end = 0;
        while (end < from.size() && (std::isalnum(static_cast<unsigned char>(from[end])) || from[end] == '_'))
            end++;
        return std::string(from.substr(0, end));
    }

    std::string_view text_;
};

struct Location {
    std::string uri;
    int version;
    Symbol symbol;
};

class Index {
public:
    void update(const SourceFile &file)
    {
        for (auto &symbol : Outline(file.text()).symbols()) {
            auto location = std::make_shared<Location>(Location{file.uri(), file.version(), std::move(symbol)});
            by_name_[location->symbol.name].push_back(std::move(location)); // guilty
        }
        versions_[file.uri()] = file.version();
    }

    std::vector<const Location *> definitions(const std::string &name) const
    {
        std::vector<const Location *> now;
        auto found = by_name_.find(name);
        if (found == by_name_.end())
            return now;
        for (const auto &location : found->second)
            if (versions_.at(location->uri) == location->version)
                now.push_back(location.get());
        return now;
    }

    size_t names() const { return by_name_.size(); }

private:
    std::unordered_map<std::string, std::vector<std::shared_ptr<Location>>> by_name_;
    std::map<std::string, int> versions_;
};

class Workspace {
public:
    void open(unsigned number)
    {
        std::string text;
        for (unsigned i = 0; i < 40; i++) {
            text += "class Handler" + std::to_string(number) + "_" + std::to_string(i) + "(Base):\n";
            for (unsigned k = 0; k < 4; k++)
                text += "    def handle_" + std::to_string((number + i + k) % 97) + "(self, request, *, timeout=30):\n" +
                        "        return self.next.handle(request, timeout=timeout - 1)  # waits for the next in the chain\n";
        }
        files_.emplace_back("file:///home/dev/service/handlers/module_" + std::to_string(number) + ".py", std::move(text));
        index_.update(files_.back());
    }

    void type(unsigned number, unsigned line, const std::string &text)
    {
        SourceFile &file = files_[number % files_.size()];
        file.replace_line(line, text);
        index_.update(file);
    }

    size_t go_to(const std::string &name) const { return index_.definitions(name).size(); }
    void report() const { std::printf("%zu files, %zu names\n", files_.size(), index_.names()); }

private:
    std::vector<SourceFile> files_;
    Index index_;
};

int main()
{
    Workspace workspace;
    for (unsigned number = 0; number < 300; number++)
        workspace.open(number);
    std::string typed = "        return self.cache";
    size_t found = 0;
    for (unsigned key = 0; key < 700; key++) {
        typed += static_cast<char>('a' + key % 26);
        if (typed.size() > 60)
            typed.resize(25);
        workspace.type(key / 70 * 31, 2 + key / 70 * 2, typed);
        if (key % 50 == 0)
            found += workspace.go_to("handle_" + std::to_string(key % 97));
    }
    workspace.report();
    std::printf("%zu definitions\n", found);
    return 0;
}
