// A JSON reader of the usual make; the documents are kept.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct Value;
using Array = std::vector<Value>;
using Object = std::map<std::string, Value>;

struct Value {
    std::variant<std::nullptr_t, double, std::string, std::shared_ptr<Array>, std::shared_ptr<Object>> data;
};

class Parser {
  public:
    explicit Parser(const std::string &text) : at(text.c_str())
    {
    }
    __attribute__((noinline)) Value parse_value()
    {
        switch (*at) {
        case '{':
            return parse_object();
        case '[':
            return parse_array();
        case '"':
            return Value{parse_string()};
        default:
            return Value{std::strtod(at, const_cast<char **>(&at))};
        }
    }

  private:
    __attribute__((noinline)) std::string parse_string()
    {
        std::string text;
        for (at++; *at != '"'; at++)
            text += *at;
        at++;
        return text;
    }
    __attribute__((noinline)) Value parse_array()
    {
        auto array = std::make_shared<Array>();
        for (at++; *at != ']';) {
            array->push_back(parse_value());
            if (*at == ',')
                at++;
        }
        at++;
        return Value{array};
    }
    __attribute__((noinline)) Value parse_object()
    {
        auto object = std::make_shared<Object>();
        for (at++; *at != '}';) {
            std::string key = parse_string();
            at++;
            (*object)[key] = parse_value(); // guilty
            if (*at == ',')
                at++;
        }
        at++;
        return Value{object};
    }
    const char *at;
};

static std::vector<Value> *replies;

__attribute__((noinline)) static std::string make_text()
{
    std::string text = "{";
    for (int i = 0; i < 200; i++)
        text += (i ? ",\"field" : "\"field") + std::to_string(i) + "\":\"" + std::string(60, 'v') + "\"";
    return text + "}";
}

__attribute__((noinline)) static void receive(const std::string &text)
{
    replies->push_back(Parser(text).parse_value());
}

int main()
{
    replies = new std::vector<Value>;
    std::string text = make_text();
    for (int i = 0; i < 1500; i++)
        receive(text);
    std::printf("%zu\n", replies->size());
    std::_Exit(0);
}
