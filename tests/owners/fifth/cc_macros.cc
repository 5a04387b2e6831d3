// The preprocessor of a small compiler: definitions, expansion, and where each token came from.
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace pp {

class Arena {
 public:
  ~Arena() {
    while (blocks_) {
      Block* prev = blocks_->prev;
      ::operator delete(blocks_);
      blocks_ = prev;
    }
  }
  void* Allocate(size_t size) {
    size = (size + 15) & ~size_t{15};
    if (left_ < size) NewBlock(size);
    void* p = at_;
    at_ += size;
    left_ -= size;
    return p;
  }
  template <class T, class... Args>
  T* Make(Args&&... args) {
    return new (Allocate(sizeof(T))) T{static_cast<Args&&>(args)...};
  }
  std::string_view Copy(std::string_view text) {
    char* p = static_cast<char*>(Allocate(text.size()));
    std::memcpy(p, text.data(), text.size());
    return {p, text.size()};
  }

 private:
  struct Block {
    Block* prev;
  };
  void NewBlock(size_t size) {
    size_t bytes = size > 32768 ? size : 32768;
    auto* b = static_cast<Block*>(::operator new(bytes + 16));
    b->prev = blocks_;
    blocks_ = b;
    at_ = reinterpret_cast<char*>(b) + 16;
    left_ = bytes;
  }
  Block* blocks_ = nullptr;
  char* at_ = nullptr;
  size_t left_ = 0;
};

struct Token {
  std::string_view text;
  int line;
  const Token* origin;
  Token* next;
};

struct TokenList {
  Token* first = nullptr;
  Token** last = &first;
  void Add(Token* t) {
    *last = t;
    last = &t->next;
  }
};

class Preprocessor {
 public:
  void Define(std::string_view name, std::string_view body) {
    TokenList list;
    Lex(body, 0, [&](std::string_view text, int line) { list.Add(arena_.Make<Token>(arena_.Copy(text), line, nullptr, nullptr)); });
    macros_[std::string(name)] = list.first;
  }

  size_t Run(std::string_view source) {
    size_t written = 0;
    Lex(source, 1, [&](std::string_view text, int line) {
      auto macro = macros_.find(std::string(text));
      if (macro == macros_.end()) {
        written += text.size();
        return;
      }
      Token use{text, line, nullptr, nullptr};
      for (Token* t = Expand(macro->second, use, 0); t; t = t->next) written += t->text.size();
    });
    return written;
  }

 private:
  // The tokens stay for messages about errors, also those of headers without any.
  Token* Expand(const Token* body, const Token& use, int depth) {
    TokenList out;
    for (const Token* t = body; t; t = t->next) {
      auto macro = depth < 16 ? macros_.find(std::string(t->text)) : macros_.end();
      if (macro != macros_.end()) {
        for (Token* inner = Expand(macro->second, use, depth + 1); inner;) {
          Token* next = inner->next;
          inner->next = nullptr;
          out.Add(inner);
          inner = next;
        }
      } else {
        out.Add(arena_.Make<Token>(t->text, use.line, t, nullptr));  // guilty
      }
    }
    return out.first;
  }

  template <class F>
  static void Lex(std::string_view s, int line, F&& f) {
    for (size_t i = 0; i < s.size();) {
      size_t from = i;
      if (std::isspace(static_cast<unsigned char>(s[i]))) {
        line += s[i++] == '\n';
        continue;
      }
      while (i < s.size() && (std::isalnum(static_cast<unsigned char>(s[i])) || s[i] == '_')) i++;
      if (i == from) i++;
      f(s.substr(from, i - from), line);
    }
  }

  Arena arena_;
  std::unordered_map<std::string, const Token*> macros_;
};

}  // namespace pp

int main() {
  pp::Preprocessor pp;
  pp.Define("MIN", "((a) < (b) ? (a) : (b))");
  pp.Define("CLAMP", "((x) < (lo) ? (lo) : MIN)");
  pp.Define("CHECK", "do { if (!(CLAMP)) fail(__FILE__, __LINE__); } while (0)");
  for (int i = 0; i < 2000; i++) pp.Define("FLAG_" + std::to_string(i), "(1u << " + std::to_string(i % 32) + ")");
  std::string source;
  for (int i = 0; i < 11000; i++)
    source += "void f" + std::to_string(i) + "(void)\n{\n  CHECK; x |= FLAG_" + std::to_string(i % 2000) + ";\n  return CLAMP;\n}\n";
  std::printf("%zu\n", pp.Run(source));
}
