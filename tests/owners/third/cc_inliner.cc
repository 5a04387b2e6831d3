// The middle of a compiler: a pass that puts functions into their callers copies them for each call, also where it then gives up.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

class Arena {
  public:
    template <typename T, typename... Args> T *make(Args &&...args)
    {
        return new (take(sizeof(T))) T(std::forward<Args>(args)...);
    }

  private:
    void *take(size_t size)
    {
        size = (size + 15) / 16 * 16;
        if (size > left) {
            left = 16384;
            blocks.push_back(std::make_unique<char[]>(left));
            next = blocks.back().get();
        }
        void *at = next;
        next += size;
        left -= size;
        return at;
    }
    std::vector<std::unique_ptr<char[]>> blocks;
    char *next = nullptr;
    size_t left = 0;
};

struct Node {
    virtual ~Node() = default;
    virtual Node *clone(Arena &arena) const = 0;
    virtual int cost() const = 0;
};

struct Constant : Node {
    explicit Constant(long value) : value(value)
    {
    }
    Node *clone(Arena &arena) const override
    {
        return arena.make<Constant>(value);
    }
    int cost() const override
    {
        return 1;
    }
    long value;
};

struct Binary : Node {
    Binary(char op, Node *left, Node *right) : op(op), left(left), right(right)
    {
    }
    Node *clone(Arena &arena) const override
    {
        Node *first = left->clone(arena);
        return arena.make<Binary>(op, first, right->clone(arena));
    }
    int cost() const override
    {
        return 1 + left->cost() + right->cost();
    }
    char op;
    Node *left, *right;
};

struct Function {
    Node *body;
    std::vector<std::string> calls;
};

class Pass {
  public:
    virtual ~Pass() = default;
    virtual void run(Function &function) = 0;
};

class Module {
  public:
    Node *parse_body(int depth, int number)
    {
        if (depth == 0)
            return arena.make<Constant>(number);
        Node *left = parse_body(depth - 1, number * 2);
        return arena.make<Binary>('+', left, parse_body(depth - 1, number * 2 + 1));
    }
    void parse(int count)
    {
        for (int i = 0; i < count; i++)
            functions["f" + std::to_string(i)] = {parse_body(4, i), {"f" + std::to_string(i * 7 % count), "f" + std::to_string(i / 2)}};
    }
    Arena arena;
    std::map<std::string, Function> functions;
};

class Inliner : public Pass {
  public:
    explicit Inliner(Module &module) : module(module)
    {
    }
    void run(Function &function) override
    {
        for (const auto &name : function.calls) {
            Node *copy = module.functions.at(name).body->clone(module.arena); // guilty
            if (function.body->cost() + copy->cost() < 40)
                function.body = module.arena.make<Binary>(',', function.body, copy);
        }
    }

  private:
    Module &module;
};

class CostCheck : public Pass {
  public:
    void run(Function &function) override
    {
        costs.push_back(function.body->cost());
        if (costs.size() > 1000)
            costs.clear();
    }

  private:
    std::vector<int> costs;
};

int main()
{
    Module module;
    module.parse(1000);
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(std::make_unique<CostCheck>());
    passes.push_back(std::make_unique<Inliner>(module));
    for (int round = 0; round < 25; round++)
        for (auto &[name, function] : module.functions)
            for (auto &pass : passes)
                pass->run(function);
    std::printf("%d\n", module.functions["f1"].body->cost());
    return 0;
}
