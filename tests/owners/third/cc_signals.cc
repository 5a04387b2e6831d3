// Signals and slots of a program's own: a preview of a document connects itself, and is never disconnected.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ui
{
template <typename... Args> class Signal {
  public:
    using Slot = std::function<void(Args...)>;
    int connect(Slot slot)
    {
        slots.emplace_back(++last, std::move(slot));
        return last;
    }
    void disconnect(int id)
    {
        slots.erase(std::remove_if(slots.begin(), slots.end(), [id](const auto &slot) { return slot.first == id; }), slots.end());
    }
    void operator()(Args... args) const
    {
        for (size_t i = slots.size() > 4 ? slots.size() - 4 : 0; i < slots.size(); i++)
            slots[i].second(args...);
    }

  private:
    std::vector<std::pair<int, Slot>> slots;
    int last = 0;
};

class Document {
  public:
    explicit Document(size_t lines)
    {
        for (size_t i = 0; i < lines; i++)
            text_ += "line " + std::to_string(i) + " of the document\n";
    }
    const std::string &text() const
    {
        return text_;
    }
    void type(char c)
    {
        text_[typed++ % text_.size()] = c;
        changed(typed);
    }
    Signal<size_t> changed;
    Signal<> closed;

  private:
    std::string text_;
    size_t typed = 0;
};

class StatusBar {
  public:
    explicit StatusBar(Document &document)
    {
        document.changed.connect([this](size_t at) { text = "column " + std::to_string(at); });
    }

  private:
    std::string text;
};

class Preview {
  public:
    explicit Preview(Document &document) : document(document)
    {
        connection = document.closed.connect([] { std::puts("closed"); });
    }
    ~Preview()
    {
        document.closed.disconnect(connection);
    }
    void follow_changes()
    {
        auto differs = [before = document.text()](size_t at) { return at < before.size() && before[at] == '#'; }; // guilty
        document.changed.connect([differs = std::move(differs)](size_t at) { marks += differs(at); });
    }
    static inline int marks = 0;

  private:
    Document &document;
    int connection;
};

class Editor {
  public:
    Editor() : document(400), status(document)
    {
    }
    void edit()
    {
        auto preview = std::make_unique<Preview>(document);
        preview->follow_changes();
        for (char c : std::string("some words"))
            document.type(c);
    }

  private:
    Document document;
    StatusBar status;
};
} // namespace ui

int main()
{
    ui::Editor editor;
    for (int i = 0; i < 4000; i++)
        editor.edit();
    std::printf("%d marks\n", ui::Preview::marks);
    return 0;
}
