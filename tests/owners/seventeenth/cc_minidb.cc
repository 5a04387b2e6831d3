// Order entry against a toy SQL layer: statements are compiled once and reused.
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Op {
    int code;
    int reg;
    std::string arg;
};

struct Plan {
    std::string sql;
    std::vector<std::string> tokens;
    std::vector<Op> ops;
    long runs = 0;
};

class Compiler {
public:
    Plan compile(const std::string &sql) const {
        Plan p;
        p.sql = sql;
        p.tokens = tokenize(sql);
        int reg = 0;
        for (const auto &t : p.tokens) {
            int code = isKeyword(t) ? 1 : 2;
            p.ops.push_back({code, reg++ % 8, code == 2 ? t : std::string()});
        }
        return p;
    }

private:
    static std::vector<std::string> tokenize(const std::string &sql) {
        std::vector<std::string> out;
        std::istringstream in(sql);
        std::string t;
        while (in >> t)
            out.push_back(t);
        return out;
    }

    static bool isKeyword(const std::string &t) {
        return t == "SELECT" || t == "FROM" || t == "WHERE" || t == "AND" || t == "UPDATE" ||
               t == "SET" || t == "=";
    }
};

class Connection {
public:
    int query(const std::string &sql) { return step(prepare(sql)); }

    size_t statements() const { return stmts_.size(); }

private:
    Plan &prepare(const std::string &sql) {
        auto it = stmts_.find(sql);
        if (it != stmts_.end())
            return it->second;
        return stmts_.emplace(sql, compiler_.compile(sql)).first->second; // guilty
    }

    int step(Plan &p) {
        int rows = 0;
        std::map<int, std::string> regs;
        for (const Op &op : p.ops) {
            if (op.code == 2)
                regs[op.reg] += op.arg;
            rows += op.code;
        }
        ++p.runs;
        return rows;
    }

    Compiler compiler_;
    std::unordered_map<std::string, Plan> stmts_;
};

class OrderDao {
public:
    explicit OrderDao(Connection &c) : c_(c) {}

    int find(int customer, int article) {
        std::ostringstream q;
        q << "SELECT id , qty , price FROM orders WHERE customer = " << customer
          << " AND article = " << article << " AND state = 'open'";
        return c_.query(q.str());
    }

    int stock() { return c_.query("SELECT article , qty FROM stock WHERE qty = 0"); }

    int ship(int order) {
        std::ostringstream q;
        q << "UPDATE orders SET state = 'shipped' WHERE id = " << order;
        return c_.query(q.str());
    }

private:
    Connection &c_;
};

int main() {
    std::mt19937 g(21);
    Connection db;
    OrderDao dao(db);
    long rows = 0;
    int order = 0;
    for (int day = 0; day < 190; ++day) {
        for (int i = 0; i < 90; ++i) {
            rows += dao.find(int(g() % 5000), int(g() % 800));
            if (i % 6 == 0)
                rows += dao.ship(++order);
            rows += dao.stock();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    printf("rows %ld\n", rows);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return db.statements() == 0;
}
