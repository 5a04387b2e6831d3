// Deterministic two player arena with rollback: the world is saved every frame.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Vec {
    float x = 0, y = 0;
};

struct Body {
    Vec pos, vel;
    int hp = 100;
    int owner = 0;
};

struct Input {
    float dx, dy;
    bool fire;
};

class World {
public:
    explicit World(int n) {
        for (int i = 0; i < n; ++i)
            bodies_.push_back({{float(i * 7 % 200), float(i * 13 % 150)}, {}, 100, i & 1});
    }

    void step(const Input in[2]) {
        for (int p = 0; p < 2; ++p) {
            bodies_[p].vel = {in[p].dx, in[p].dy};
            if (in[p].fire)
                spawn(p);
        }
        for (Body &b : bodies_) {
            b.pos.x = std::fmod(b.pos.x + b.vel.x + 200, 200);
            b.pos.y = std::fmod(b.pos.y + b.vel.y + 150, 150);
            if (b.hp > 0 && b.owner >= 2)
                --b.hp;
        }
        cull();
    }

    uint32_t checksum() const {
        uint32_t h = 1;
        for (const Body &b : bodies_)
            h = h * 31 + uint32_t(b.pos.x * 100) + uint32_t(b.pos.y * 10);
        return h;
    }

private:
    void spawn(int p) {
        Body b = bodies_[p];
        b.owner = 2 + p;
        b.hp = 60;
        b.vel = {3.0f - 6 * p, 0.5f};
        bodies_.push_back(b);
    }

    void cull() {
        for (size_t i = 2; i < bodies_.size();)
            if (bodies_[i].hp <= 0) {
                bodies_[i] = bodies_.back();
                bodies_.pop_back();
            } else {
                ++i;
            }
    }

    std::vector<Body> bodies_;
};

class Session {
public:
    Session() : world_(std::make_unique<World>(300)) {}

    void advance(const Input &local, const Input &remoteGuess) {
        saveFrame();
        inputs_[frame_] = {local, remoteGuess};
        const Input in[2] = {local, remoteGuess};
        world_->step(in);
        ++frame_;
        while (inputs_.size() > 120)
            inputs_.erase(inputs_.begin());
    }

    void remoteArrived(int frame, const Input &real) {
        auto it = saved_.find(frame);
        if (it == saved_.end() || !inputs_.count(frame))
            return;
        *world_ = *it->second;
        inputs_[frame].second = real;
        for (int f = frame; f < frame_; ++f) {
            const Input in[2] = {inputs_[f].first, inputs_[f].second};
            world_->step(in);
        }
        ++rollbacks_;
    }

    int frame() const { return frame_; }
    int rollbacks() const { return rollbacks_; }
    uint32_t checksum() const { return world_->checksum(); }

private:
    void saveFrame() { saved_[frame_] = std::make_unique<World>(*world_); } // guilty

    std::unique_ptr<World> world_;
    std::map<int, std::unique_ptr<World>> saved_;
    std::map<int, std::pair<Input, Input>> inputs_;
    int frame_ = 0, rollbacks_ = 0;
};

static Input randomInput(std::mt19937 &g) {
    return {float(g() % 7) - 3, float(g() % 7) - 3, g() % 9 == 0};
}

int main() {
    std::mt19937 g(31);
    Session s;
    while (s.frame() < 7200) {
        s.advance(randomInput(g), randomInput(g));
        if (g() % 5 == 0 && s.frame() > 10)
            s.remoteArrived(s.frame() - 1 - int(g() % 8), randomInput(g));
        if (s.frame() % 40 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    printf("frames %d rollbacks %d checksum %08x\n", s.frame(), s.rollbacks(), s.checksum());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
