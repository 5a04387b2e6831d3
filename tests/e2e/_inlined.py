"""Programs whose addresses lie in calls that are inlined in calls, for the tests that compare names with another tool's."""

from _names import run

C = """
int counter = 1;
int puts(const char *);
static inline __attribute__((always_inline)) int inner(int x) { return puts("x") + x; }
static inline __attribute__((always_inline)) int middle(int x) { return inner(x * 3) + counter; }
static __attribute__((noinline)) int hidden(int x, int y) { return x > 3 ? middle(x) + y : puts("a"); }
__attribute__((noinline)) int outer(int x) { for (int i = 0; i < x; i++) middle(i); return hidden(x, 2) + hidden(x + 1, x); }
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""
# Before what a test adds to it.
CXX = """
#include <map>
#include <string>
#include <vector>
namespace app {
template <class T> struct Box { T value; std::vector<T> all; Box(T t) : value(t) { all.push_back(t); }
    virtual ~Box() { all.clear(); } int size() const { return (int)all.size(); } virtual int run() { return size(); } };
static int helper(int x) { std::map<std::string, int> m; m[std::to_string(x)] = x; return (int)m.size(); }
}
"""


def build_programs(folder, sources, builds):
    """Writes {file: text} into a new folder, and makes {name: (file, command)} of it. Returns {name: path}."""
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text)
    for name, (source, command) in builds.items():
        run(*command, "-o", folder / name, folder / source)
    return {name: folder / name for name in builds}
