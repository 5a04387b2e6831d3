// A game of football robots: simulates the field in steps, and records a state of each step so that goals can be shown again.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Body {
    float x = 0, y = 0, vx = 0, vy = 0, heading = 0;
};

struct Robot {
    Body body;
    float battery = 1;
    uint8_t team = 0, number = 0;
    std::array<float, 8> sensors{};
};

struct State {
    uint32_t step = 0;
    Body ball;
    std::vector<Robot> robots;
    std::array<int, 2> score{};
};

class Field {
public:
    Field()
    {
        for (uint8_t i = 0; i < 12; i++) {
            Robot robot;
            robot.team = i / 6;
            robot.number = i % 6;
            robot.body.x = (robot.team ? 1.f : -1.f) * (1 + robot.number);
            robot.body.y = robot.number - 2.5f;
            state_.robots.push_back(robot);
        }
    }

    bool step()
    {
        state_.step++;
        for (Robot &robot : state_.robots) {
            sense(robot);
            float angle = std::atan2(state_.ball.y - robot.body.y, state_.ball.x - robot.body.x) + robot.number * 0.1f;
            robot.body.heading = angle;
            robot.body.vx = std::cos(angle) * robot.battery;
            robot.body.vy = std::sin(angle) * robot.battery;
            move(robot.body);
            robot.battery = robot.battery > 0.2f ? robot.battery - 0.00001f : 1;
            if (std::hypot(robot.body.x - state_.ball.x, robot.body.y - state_.ball.y) < 0.3f) {
                state_.ball.vx = (robot.team ? -2.f : 2.f) + robot.number * 0.1f;
                state_.ball.vy = robot.body.vy * 1.5f;
            }
        }
        move(state_.ball);
        if (std::fabs(state_.ball.x) < 5)
            return false;
        state_.score[state_.ball.x < 0]++;
        state_.ball = Body{};
        return true;
    }

    const State &state() const { return state_; }

private:
    void sense(Robot &robot)
    {
        for (size_t i = 0; i < robot.sensors.size(); i++)
            robot.sensors[i] = std::fabs(robot.body.x - state_.robots[i].body.x) + std::fabs(robot.body.y - state_.robots[i].body.y);
    }
    static void move(Body &body)
    {
        body.x += body.vx * 0.02f;
        body.y += body.vy * 0.02f;
        body.vx *= 0.99f;
        body.vy *= body.y < -3 || body.y > 3 ? -0.9f : 0.99f;
    }

    State state_;
};

class Replay {
public:
    void record(const State &state)
    {
        frames_.push_back(std::make_unique<State>(state)); // guilty
    }

    std::string show(uint32_t from, uint32_t to) const
    {
        std::string text;
        for (const auto &frame : frames_)
            if (frame->step >= from && frame->step < to && frame->step % 50 == 0)
                text += std::to_string(frame->ball.x) + "," + std::to_string(frame->ball.y) + " ";
        return text;
    }
    size_t frames() const { return frames_.size(); }

private:
    std::vector<std::unique_ptr<State>> frames_;
};

class Commentator {
public:
    void goal(const State &state)
    {
        lines_.push_back("step " + std::to_string(state.step) + ": it is " + std::to_string(state.score[0]) + " to " + std::to_string(state.score[1]));
    }
    const std::vector<std::string> &lines() const { return lines_; }

private:
    std::vector<std::string> lines_;
};

int main()
{
    Field field;
    Replay replay;
    Commentator commentator;
    size_t shown = 0;
    for (int i = 0; i < 55000; i++) {
        bool goal = field.step();
        replay.record(field.state());
        if (goal) {
            commentator.goal(field.state());
            shown += replay.show(field.state().step - 300, field.state().step).size();
        }
    }
    for (size_t i = 0; i < commentator.lines().size() && i < 3; i++)
        std::puts(commentator.lines()[i].c_str());
    std::printf("%zu frames, %zu shown\n", replay.frames(), shown);
}
