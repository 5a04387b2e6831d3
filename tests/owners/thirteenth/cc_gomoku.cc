// Plays five in a row by trying out games: a tree of positions with visits and wins, random play-outs, and the best move.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

constexpr int Side = 13;
constexpr int Cells = Side * Side;

class Dice {
public:
    explicit Dice(uint64_t seed) : state_(seed) {}

    int below(int n)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<int>(state_ % static_cast<uint64_t>(n));
    }

private:
    uint64_t state_;
};

class Board {
public:
    void play(int cell)
    {
        cells_[static_cast<size_t>(cell)] = turn_;
        last_ = cell;
        ++moves_;
        turn_ = turn_ == 1 ? 2 : 1;
    }

    int turn() const { return turn_; }
    bool full() const { return moves_ == Cells; }

    std::vector<int> moves() const
    {
        std::vector<int> free;
        for (int cell = 0; cell < Cells; ++cell)
            if (!cells_[static_cast<size_t>(cell)] && (moves_ == 0 ? cell == Cells / 2 : near(cell)))
                free.push_back(cell);
        return free;
    }

    bool won() const
    {
        if (last_ < 0)
            return false;
        static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        for (const auto& s : steps)
            if (1 + count(s[0], s[1]) + count(-s[0], -s[1]) >= 5)
                return true;
        return false;
    }

private:
    uint8_t at(int x, int y) const { return x < 0 || y < 0 || x >= Side || y >= Side ? 0 : cells_[static_cast<size_t>(y * Side + x)]; }

    bool near(int cell) const
    {
        const int x = cell % Side, y = cell / Side;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (at(x + dx, y + dy))
                    return true;
        return false;
    }

    int count(int dx, int dy) const
    {
        const uint8_t who = cells_[static_cast<size_t>(last_)];
        int n = 0;
        for (int x = last_ % Side + dx, y = last_ / Side + dy; at(x, y) == who; x += dx, y += dy)
            ++n;
        return n;
    }

    std::array<uint8_t, Cells> cells_{};
    uint8_t turn_ = 1;
    int last_ = -1, moves_ = 0;
};

struct Node {
    Node(int move, const Board& board) : move(move), board(board) {}

    int move;
    Board board;
    int visits = 0;
    double wins = 0;
    std::vector<std::unique_ptr<Node>> children;
};

class Player {
public:
    explicit Player(uint64_t seed) : dice_(seed) {}

    int think(const Board& board, int tries)
    {
        Node root(-1, board);
        for (int i = 0; i < tries; ++i)
            explore(root);
        const Node* best = nullptr;
        for (const auto& child : root.children)
            if (!best || child->visits > best->visits)
                best = child.get();
        depth_ += depth(root);
        return best->move;
    }

    int depth_of_searches() const { return depth_; }

private:
    // Returns the share of the game for the one who moved into the node.
    double explore(Node& node)
    {
        double result;
        if (node.board.won())
            result = 1;
        else if (node.board.full())
            result = 0.5;
        else if (node.visits == 0)
            result = play_out(node.board);
        else {
            if (node.children.empty())
                expand(node);
            result = 1 - explore(select(node));
        }
        ++node.visits;
        node.wins += result;
        return result;
    }

    void expand(Node& node)
    {
        for (int move : node.board.moves()) {
            Board next = node.board;
            next.play(move);
            node.children.push_back(std::make_unique<Node>(move, next)); // guilty
        }
    }

    Node& select(Node& node) const
    {
        Node* best = nullptr;
        double most = -1;
        for (const auto& child : node.children) {
            const double score = child->visits ? child->wins / child->visits + 0.9 * std::sqrt(std::log(node.visits) / child->visits) : 10.0;
            if (score > most) {
                most = score;
                best = child.get();
            }
        }
        return *best;
    }

    double play_out(Board board)
    {
        const int mover = 3 - board.turn();
        for (int i = 0; i < 20 && !board.full(); ++i) {
            const auto moves = board.moves();
            board.play(moves[static_cast<size_t>(dice_.below(static_cast<int>(moves.size())))]);
            if (board.won())
                return 3 - board.turn() == mover ? 1 : 0;
        }
        return 0.5;
    }

    static int depth(const Node& node)
    {
        int most = 0;
        for (const auto& child : node.children)
            if (child->visits)
                most = std::max(most, 1 + depth(*child));
        return most;
    }

    Dice dice_;
    int depth_ = 0;
};

int main()
{
    Board board;
    Player black(11), white(29);
    std::string record;
    for (int move = 0; move < 4 && !board.won(); ++move) {
        const int cell = (move % 2 ? white : black).think(board, 6000 + 2000 * move);
        board.play(cell);
        record += static_cast<char>('a' + cell % Side) + std::to_string(cell / Side + 1) + ' ';
    }
    std::printf("%s: searches went %d and %d deep\n", record.c_str(), black.depth_of_searches(), white.depth_of_searches());
}
