// Finds out which sources must be built again: reads files, follows their includes, compares stamps, and prints the plan.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// A tree of sources as a large project has it, made up from the name of the file.
class Disk {
public:
    explicit Disk(int headers) : headers_(headers) {}

    bool exists(const std::string& path) const
    {
        int n = 0;
        if (std::sscanf(path.c_str(), "include/h%d.h", &n) == 1)
            return n < headers_;
        return path.compare(0, 4, "src/") == 0;
    }

    std::string read(const std::string& path) const
    {
        ++reads_;
        unsigned h = 17;
        for (char c : path)
            h = h * 31 + static_cast<unsigned char>(c);
        std::string text = "// " + path + "\n#pragma once\n";
        const bool header = path[0] == 'i';
        const int self = header ? std::atoi(path.c_str() + 9) : headers_;
        for (int i = 0; i < 6 && self > 4; ++i)
            text += "#include \"h" + std::to_string((h >> i) % static_cast<unsigned>(self)) + ".h\"\n";
        for (unsigned i = 0, n = 120 + h % 200; i < n; ++i)
            text += "int function_" + std::to_string(h % 1000 + i) + "(int argument, const char* text);\n";
        return text;
    }

    long stamp(const std::string& path) const
    {
        unsigned h = 3;
        for (char c : path)
            h = h * 131 + static_cast<unsigned char>(c);
        return static_cast<long>(h % 100000);
    }

    long reads() const { return reads_; }

private:
    int headers_;
    mutable long reads_ = 0;
};

struct File {
    std::string text;
    std::vector<std::string> includes;
    long stamp = 0;
};

class Scanner {
public:
    explicit Scanner(const Disk& disk) : disk_(disk) {}

    const File& file(const std::string& path)
    {
        auto found = files_.find(path);
        if (found != files_.end())
            return found->second;
        File file;
        file.text = disk_.read(path);
        file.includes = includes(file.text);
        file.stamp = disk_.stamp(path);
        return files_.emplace(path, std::move(file)).first->second; // guilty
    }

    size_t known() const { return files_.size(); }

private:
    std::vector<std::string> includes(std::string_view text) const
    {
        std::vector<std::string> result;
        for (size_t at = text.find("#include \""); at != std::string_view::npos; at = text.find("#include \"", at)) {
            at += 10;
            const size_t end = text.find('"', at);
            std::string path = "include/" + std::string(text.substr(at, end - at));
            if (disk_.exists(path))
                result.push_back(std::move(path));
        }
        return result;
    }

    const Disk& disk_;
    std::unordered_map<std::string, File> files_;
};

class Planner {
public:
    explicit Planner(Scanner& scanner) : scanner_(scanner) {}

    struct Unit {
        std::string path;
        long newest = 0;
        size_t depends = 0;
    };

    Unit look_at(const std::string& path)
    {
        std::set<std::string> seen;
        Unit unit{path, 0, 0};
        visit(path, seen, unit);
        unit.depends = seen.size() - 1;
        for (const auto& header : seen)
            ++users_[header];
        return unit;
    }

    std::vector<std::pair<int, std::string>> busiest(size_t n) const
    {
        std::vector<std::pair<int, std::string>> all;
        for (const auto& [path, users] : users_)
            all.emplace_back(users, path);
        std::sort(all.rbegin(), all.rend());
        all.resize(std::min(n, all.size()));
        return all;
    }

private:
    void visit(const std::string& path, std::set<std::string>& seen, Unit& unit)
    {
        if (!seen.insert(path).second)
            return;
        const File& file = scanner_.file(path);
        unit.newest = std::max(unit.newest, file.stamp);
        for (const auto& other : file.includes)
            visit(other, seen, unit);
    }

    Scanner& scanner_;
    std::map<std::string, int> users_;
};

int main()
{
    const Disk disk(900);
    Scanner scanner(disk);
    Planner planner(scanner);
    std::vector<Planner::Unit> stale;
    size_t depends = 0;
    for (int i = 0; i < 1600; ++i) {
        auto unit = planner.look_at("src/unit" + std::to_string(i) + ".cc");
        depends += unit.depends;
        if (unit.newest > disk.stamp("build/unit" + std::to_string(i) + ".o"))
            stale.push_back(std::move(unit));
    }
    std::printf("%zu of 1600 units are stale, %zu dependencies, %zu files known, %ld read\n", stale.size(), depends, scanner.known(), disk.reads());
    for (const auto& [users, path] : planner.busiest(4))
        std::printf("  %s is used by %d\n", path.c_str(), users);
}
