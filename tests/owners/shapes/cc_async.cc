#include <cstdio>
#include <future>
#include <string>
#include <vector>
using Bytes = std::vector<unsigned char>;
static Bytes compress(int n) {
    Bytes out(6000);
    for (std::size_t i = 0; i < out.size(); i++) out[i] = static_cast<unsigned char>(i * std::size_t(n));
    return out;
}
class Backup {
  public:
    void begin(int n) { pending_.push_back(std::async(std::launch::async, compress, n)); }
    void finish() {
        for (auto &one : pending_) store(one.get());
        pending_.clear();
    }
    std::size_t size() const { return total_; }
  private:
    void store(Bytes bytes) {
        total_ += bytes.size();
        kept_.push_back(std::move(bytes)); // guilty
    }
    std::vector<std::future<Bytes>> pending_;
    std::vector<Bytes> kept_;
    std::size_t total_ = 0;
};
static bool verify(int n) { return compress(n).size() == 6000; }
int main() {
    Backup backup;
    for (int round = 0; round < 800; round++) {
        for (int i = 0; i < 8; i++) backup.begin(round * 8 + i);
        backup.finish();
        if (!verify(round)) return 1;
    }
    std::printf("%zu\n", backup.size());
}
