#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>
template <class... Args> class Signal {
  public:
    void connect(std::function<void(Args...)> slot) { slots_.push_back(std::move(slot)); }
    void emit(Args... args) { for (auto &slot : slots_) slot(args...); }
    std::size_t size() const { return slots_.size(); }
  private:
    std::vector<std::function<void(Args...)>> slots_;
};
struct Clock { Signal<int> tick; Signal<> midnight; };
class Report {
  public:
    explicit Report(int n) : text_(3000, char('a' + n % 26)) {}
    long sum(int t) const { return text_[std::size_t(t) % text_.size()]; }
  private:
    std::string text_;
};
class Dashboard {
  public:
    explicit Dashboard(Clock &clock) : clock_(clock) { clock_.midnight.connect([this] { days_++; }); }
    void open(int n) {
        auto report = std::make_shared<Report>(n);
        watch(report);
        shown_ = report;
    }
    void watch(std::shared_ptr<Report> report) {
        clock_.tick.connect([this, report](int t) { total_ += report->sum(t); }); // guilty
    }
    long total() const { return total_ + days_; }
  private:
    Clock &clock_;
    std::shared_ptr<Report> shown_;
    long total_ = 0, days_ = 0;
};
int main() {
    Clock clock;
    Dashboard dashboard(clock);
    for (int i = 0; i < 9000; i++) {
        dashboard.open(i);
        if (i % 1000 == 0) clock.tick.emit(i);
    }
    clock.midnight.emit();
    std::printf("%ld %zu\n", dashboard.total(), clock.tick.size());
}
