// Looks for signatures in files, all at once: the automaton of Aho and Corasick.
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

#define SCAN_DISALLOW_COPY(Class)  \
    Class(const Class &) = delete; \
    Class &operator=(const Class &) = delete

namespace scan {

template <class T> class ObjectPool
{
public:
    ObjectPool() = default;
    template <class... Args> T *create(Args &&...args)
    {
        if (mUsed == kChunk) {
            mChunks.emplace_back(new std::array<T, kChunk>());
            mUsed = 0;
        }
        T *object = &(*mChunks.back())[mUsed++];
        *object = T{std::forward<Args>(args)...};
        return object;
    }

private:
    SCAN_DISALLOW_COPY(ObjectPool);
    static constexpr std::size_t kChunk = 64;
    std::vector<std::unique_ptr<std::array<T, kChunk>>> mChunks;
    std::size_t mUsed = kChunk;
};

struct Signature {
    std::string name;
    std::string bytes;
};

class Automaton
{
public:
    Automaton() { mRoot = mNodes.create(); }

    // A node has a place for each byte, and a signature a node for each of its bytes.
    void addPattern(const Signature &signature)
    {
        Node *node = mRoot;
        for (unsigned char byte : signature.bytes) {
            Node *&next = node->next[byte];
            if (!next)
                next = mNodes.create(); // guilty
            node = next;
        }
        node->found = &signature;
    }

    void finish()
    {
        std::queue<Node *> todo;
        mRoot->fail = mRoot;
        for (Node *child : mRoot->next)
            if (child) {
                child->fail = mRoot;
                todo.push(child);
            }
        for (; !todo.empty(); todo.pop())
            for (int byte = 0; byte < 256; byte++)
                if (Node *child = todo.front()->next[byte]) {
                    Node *f = todo.front()->fail;
                    while (f != mRoot && !f->next[byte])
                        f = f->fail;
                    child->fail = f->next[byte] ? f->next[byte] : mRoot;
                    todo.push(child);
                }
    }

    template <class Callback> void match(const std::string &data, Callback &&callback) const
    {
        const Node *node = mRoot;
        for (unsigned char byte : data) {
            while (node != mRoot && !node->next[byte])
                node = node->fail;
            if (node->next[byte])
                node = node->next[byte];
            if (node->found)
                callback(*node->found);
        }
    }

private:
    struct Node {
        std::array<Node *, 256> next{};
        Node *fail = nullptr;
        const Signature *found = nullptr;
    };
    ObjectPool<Node> mNodes;
    Node *mRoot;
};

class Database
{
public:
    void load(std::istream &in)
    {
        std::string line;
        while (std::getline(in, line)) {
            auto equals = line.find('=');
            mSignatures.create(Signature{line.substr(0, equals), line.substr(equals + 1)});
            mAll.push_back(line.substr(0, equals));
        }
    }
    const Signature *make(const std::string &name, const std::string &bytes) { return mSignatures.create(Signature{name, bytes}); }
    std::size_t size() const { return mAll.size(); }

private:
    ObjectPool<Signature> mSignatures;
    std::vector<std::string> mAll;
};

} // namespace scan

static std::string signatureBytes(std::uint32_t n)
{
    std::string bytes;
    for (int i = 0; i < 20; i++)
        bytes += static_cast<char>('!' + (n = n * 1664525u + 1013904223u) % 9973 % 90);
    return bytes;
}

int main()
{
    scan::Database database;
    scan::Automaton automaton;
    std::stringstream file;
    for (int i = 0; i < 12000; i++)
        file << "Trojan.Generic.Unwanted-" << i << "=" << signatureBytes(i) << "\n";
    database.load(file);
    for (std::uint32_t i = 0; i < 1050; i++)
        automaton.addPattern(*database.make("Worm-" + std::to_string(i), signatureBytes(i * 977)));
    automaton.finish();
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < 4000; i++)
        automaton.match("xx" + signatureBytes(i * 977) + "yy", [&](const scan::Signature &) { found++; });
    std::cout << found << " found, " << database.size() << " signatures\n";
}
