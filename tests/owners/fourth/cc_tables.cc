// A store of sorted tables, as a database of keys and values has them under it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace store {

class Slice
{
public:
    Slice(const char *data, size_t size) : data_(data), size_(size) {}
    Slice(const std::string &s) : data_(s.data()), size_(s.size()) {}
    const char *data() const { return data_; }
    size_t size() const { return size_; }
    std::string ToString() const { return std::string(data_, size_); }

private:
    const char *data_;
    size_t size_;
};

class Arena
{
public:
    Arena() = default;
    Arena(const Arena &) = delete;
    ~Arena()
    {
        for (char *block : blocks_)
            delete[] block;
    }
    char *Allocate(size_t bytes)
    {
        if (bytes > left_) {
            left_ = bytes > kBlockSize ? bytes : kBlockSize;
            at_ = new char[left_];
            blocks_.push_back(at_);
        }
        char *result = at_;
        at_ += bytes;
        left_ -= bytes;
        return result;
    }

private:
    static constexpr size_t kBlockSize = 4096;
    std::vector<char *> blocks_;
    char *at_ = nullptr;
    size_t left_ = 0;
};

class File
{
public:
    explicit File(uint64_t number) : number_(number) {}
    size_t Size() const { return 9000 + number_ % 7 * 300; }
    void Read(uint64_t offset, size_t n, char *to) const
    {
        for (size_t i = 0; i < n; i++)
            to[i] = static_cast<char>('a' + (offset + i + number_) % 26);
    }

private:
    uint64_t number_;
};

class Table
{
public:
    static std::unique_ptr<Table> Open(const File &file)
    {
        auto table = std::unique_ptr<Table>(new Table);
        table->size_ = file.Size();
        table->contents_ = table->arena_.Allocate(table->size_);
        file.Read(0, table->size_, table->contents_);
        for (size_t at = 0; at < table->size_; at += 512)
            table->index_.push_back(Slice(table->contents_ + at, 16));
        return table;
    }
    bool Get(const Slice &key, std::string *value) const
    {
        size_t block = key.size() * 31 % index_.size();
        value->assign(index_[block].data(), index_[block].size());
        return true;
    }

private:
    Table() = default;
    Arena arena_;
    char *contents_ = nullptr;
    size_t size_ = 0;
    std::vector<Slice> index_;
};

// Tables that compaction has replaced stay here, for nobody evicts them.
class TableCache
{
public:
    const Table *FindTable(uint64_t number)
    {
        auto it = tables_.find(number);
        if (it != tables_.end())
            return it->second.get();
        File file(number);
        auto opened = Table::Open(file); // guilty
        return tables_.emplace(number, std::move(opened)).first->second.get();
    }
    size_t size() const { return tables_.size(); }

private:
    std::map<uint64_t, std::unique_ptr<Table>> tables_;
};

class MemTable
{
public:
    void Add(const Slice &key, const Slice &value)
    {
        char *copy = arena_.Allocate(key.size() + value.size());
        memcpy(copy, key.data(), key.size());
        memcpy(copy + key.size(), value.data(), value.size());
        entries_[key.ToString()] = copy;
    }
    size_t Count() const { return entries_.size(); }

private:
    Arena arena_;
    std::map<std::string, char *> entries_;
};

class DB
{
public:
    void Put(const std::string &key, const std::string &value)
    {
        mem_->Add(key, value);
        if (mem_->Count() >= 6000)
            Compact();
    }
    std::string Get(const std::string &key)
    {
        std::string value;
        for (uint64_t number : live_)
            cache_.FindTable(number)->Get(key, &value);
        return value;
    }
    size_t OpenTables() const { return cache_.size(); }
    void Compact()
    {
        mem_ = std::make_unique<MemTable>();
        for (uint64_t &number : live_) {
            auto old = Table::Open(File(number));
            number = next_file_++;
        }
    }

private:
    std::unique_ptr<MemTable> mem_ = std::make_unique<MemTable>();
    TableCache cache_;
    uint64_t next_file_ = 100;
    std::vector<uint64_t> live_ = std::vector<uint64_t>(30);
};

} // namespace store

int main()
{
    store::DB db;
    size_t n = 0;
    for (int i = 0; i < 620000; i++) {
        db.Put("user" + std::to_string(i % 6000), "value");
        if (i % 3000 == 0)
            n += db.Get("user" + std::to_string(i)).size();
    }
    for (int i = 0; i < 4000; i++)
        db.Put("last" + std::to_string(i), std::string(300, 'x'));
    std::printf("%zu bytes, %zu tables\n", n, db.OpenTables());
}
