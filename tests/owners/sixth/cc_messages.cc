// Texts for people in their language, with what is different filled in.
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace i18n {

using Args = std::vector<std::string>;

class Pattern {
public:
    explicit Pattern(std::string_view text) {
        while (!text.empty()) {
            auto open = text.find('{');
            if (open == text.npos) open = text.size();
            if (open > 0) pieces_.push_back({std::string(text.substr(0, open)), -1});
            text.remove_prefix(open);
            if (text.empty()) break;
            pieces_.push_back({"", text[1] - '0'});
            text.remove_prefix(3);
        }
    }

    void fill(std::string& out, const Args& args) const {
        for (const auto& [literal, index] : pieces_) {
            if (index < 0)
                out += literal;
            else if (static_cast<std::size_t>(index) < args.size())
                out += args[static_cast<std::size_t>(index)];
        }
    }

private:
    std::vector<std::pair<std::string, int>> pieces_;
};

class Catalog {
public:
    void load(std::string_view language, std::string_view file) {
        std::istringstream in{std::string(file)};
        for (std::string key, text; in >> key && std::getline(in >> std::ws, text);)
            patterns_.emplace(std::make_pair(std::string(language), key), Pattern(text));
    }

    // Once filled in, a text is found again by its key and arguments.
    const std::string& translate(const std::string& language, const std::string& key, const Args& args) {
        std::string id = language + '\0' + key;
        for (const auto& a : args) id += '\1' + a;
        auto [it, isNew] = filled_.try_emplace(std::move(id));  // guilty
        if (isNew) {
            auto pattern = patterns_.find({language, key});
            if (pattern == patterns_.end())
                it->second = key;
            else
                pattern->second.fill(it->second, args);
        }
        return it->second;
    }

    std::size_t loaded() const { return patterns_.size(); }

private:
    std::map<std::pair<std::string, std::string>, Pattern> patterns_;
    std::unordered_map<std::string, std::string> filled_;
};

}  // namespace i18n

class Page {
public:
    Page(i18n::Catalog& texts, std::string language) : texts_(texts), language_(std::move(language)) {}

    std::string greeting(int user) {
        return "<h1>" + texts_.translate(language_, "hello", {"user" + std::to_string(user)}) + "</h1>";
    }
    std::string cart(int things, int cents) {
        const auto& text = texts_.translate(language_, "cart", {std::to_string(things), std::to_string(cents / 100)});
        return "<p>" + text + "</p>";
    }
    std::string footer(int request) {
        return "<footer>" + texts_.translate(language_, "served", {std::to_string(request), "a machine in the north"}) + "</footer>";
    }

private:
    i18n::Catalog& texts_;
    std::string language_;
};

int main() {
    i18n::Catalog texts;
    texts.load("en", "hello Good morning, {0}, and welcome to the shop of all things!\ncart There are {0} things in your cart, for {1} euros.\n"
                     "served This page has number {0} and was made by {1} for you alone.\n");
    texts.load("de", "hello Guten Morgen, {0}, und willkommen im Laden aller Dinge!\ncart Im Wagen sind {0} Dinge zu {1} Euro.\n"
                     "served Diese Seite hat die Nummer {0} und wurde von {1} gemacht.\n");
    std::size_t bytes = 0;
    for (int request = 0; request < 150000; ++request) {
        Page page(texts, request % 3 ? "en" : "de");
        bytes += page.greeting(request / 7).size() + page.cart(request % 30, request * 37 % 90000).size() + page.footer(request).size();
    }
    std::printf("%zu bytes of pages, %zu patterns\n", bytes, texts.loaded());
}
