// A spreadsheet: cells hold numbers or formulas, formulas are evaluated when a cell they need has changed, and edits can be undone.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Address {
    int row, column;
    bool operator<(const Address &other) const { return row != other.row ? row < other.row : column < other.column; }
};

struct Cell {
    std::string text;
    double value = 0;
    std::vector<Address> needs;
    std::string format = "0.00";
};

class Sheet {
public:
    const Cell *at(Address address) const
    {
        auto found = cells_.find(address);
        return found == cells_.end() ? nullptr : &found->second;
    }

    void set(Address address, const std::string &text)
    {
        Cell &cell = cells_[address];
        for (const Address &need : cell.needs)
            dependents_[need].erase(address);
        cell.text = text;
        cell.needs = parse(text);
        for (const Address &need : cell.needs)
            dependents_[need].insert(address);
        recalculate(address, 0);
    }

    size_t size() const { return cells_.size(); }
    const std::map<Address, Cell> &row_range() const { return cells_; }

private:
    // "=R3C2+R4C2" gives the cells it names.
    static std::vector<Address> parse(const std::string &text)
    {
        std::vector<Address> needs;
        if (text.empty() || text[0] != '=')
            return needs;
        const char *p = text.c_str() + 1;
        Address address;
        int used = 0;
        while (std::sscanf(p, "R%dC%d%n", &address.row, &address.column, &used) == 2) {
            needs.push_back(address);
            p += used;
            if (*p++ != '+')
                break;
        }
        return needs;
    }

    void recalculate(Address address, int depth)
    {
        Cell &cell = cells_[address];
        if (cell.needs.empty()) {
            cell.value = std::atof(cell.text.c_str());
        } else {
            cell.value = 0;
            for (const Address &need : cell.needs)
                if (const Cell *other = at(need))
                    cell.value += other->value;
        }
        auto found = dependents_.find(address);
        if (found != dependents_.end() && depth < 50)
            for (const Address &dependent : found->second)
                recalculate(dependent, depth + 1);
    }

    std::map<Address, Cell> cells_;
    std::map<Address, std::set<Address>> dependents_;
};

// An edit that can be taken back: what the row looked like.
struct Edit {
    std::string label;
    std::vector<std::pair<Address, Cell>> before;
};

class Document {
public:
    explicit Document(int columns) : columns_(columns) {}

    void type(Address address, const std::string &text)
    {
        remember("Type " + text, address.row);
        sheet_.set(address, text);
    }

    void undo()
    {
        if (undo_.empty())
            return;
        for (auto &[address, cell] : undo_.back().before)
            sheet_.set(address, cell.text);
        undo_.pop_back();
    }

    const Sheet &sheet() const { return sheet_; }
    size_t steps() const { return undo_.size(); }

private:
    void remember(std::string label, int row)
    {
        Edit edit{std::move(label), {}};
        for (int column = 0; column < columns_; column++)
            if (const Cell *cell = sheet_.at({row, column}))
                edit.before.emplace_back(Address{row, column}, *cell);
        undo_.push_back(std::move(edit)); // guilty
    }

    Sheet sheet_;
    std::vector<Edit> undo_;
    int columns_;
};

static std::string render(const Sheet &sheet)
{
    std::string html;
    char number[40];
    for (const auto &[address, cell] : sheet.row_range()) {
        std::snprintf(number, sizeof number, "<td>%.2f</td>", cell.value);
        html += number;
    }
    return html;
}

int main()
{
    Document document(12);
    size_t bytes = 0;
    for (int i = 0; i < 27000; i++) {
        int row = i * 7 % 900, column = i % 11;
        document.type({row, column}, std::to_string(i * 37 % 1000) + ".5");
        if (i % 10 == 0)
            document.type({row, 11}, "=R" + std::to_string(row) + "C1+R" + std::to_string(row) + "C2+R" + std::to_string(row) + "C3");
        if (i % 40 == 39)
            document.undo();
        if (i % 8000 == 0)
            bytes += render(document.sheet()).size();
    }
    std::printf("%zu cells, %zu steps, %zu bytes\n", document.sheet().size(), document.steps(), bytes);
}
