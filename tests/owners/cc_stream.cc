// String streams, whose text is kept.
#include <sstream>
#include <string>
#include <vector>

class Log {
  public:
    void format(int number);

  private:
    std::vector<std::ostringstream *> lines;
};

[[gnu::noinline]] void Log::format(int number)
{
    auto *line = new std::ostringstream;
    for (int i = 0; i < 100; i++)
        *line << number << " of " << i << '\n'; // guilty
    lines.push_back(line);
}

int main()
{
    auto *log = new Log;
    for (int i = 0; i < 20000; i++)
        log->format(i);
}
