// A program that replaces operator new to count what it allocates.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

static std::atomic<std::size_t> counted;

__attribute__((noinline)) static void *count_and_allocate(std::size_t size)
{
    counted += size;
    void *p = std::malloc(size ? size : 1);
    if (!p)
        throw std::bad_alloc();
    return p;
}

void *operator new(std::size_t size)
{
    return count_and_allocate(size);
}

void operator delete(void *p) noexcept
{
    std::free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

class Mailbox {
  public:
    __attribute__((noinline)) void deliver(const std::string &sender, int number)
    {
        mails[sender].emplace_back(500 + number % 500, 'm'); // guilty
    }
    __attribute__((noinline)) void load_contacts()
    {
        for (int i = 0; i < 200; i++)
            mails["contact" + std::to_string(i)];
    }

  private:
    std::map<std::string, std::vector<std::string>> mails;
};

int main()
{
    Mailbox *mailbox = new Mailbox;
    mailbox->load_contacts();
    for (int i = 0; i < 60000; i++)
        mailbox->deliver("contact" + std::to_string(i % 200), i);
    std::printf("%zu\n", counted.load());
    std::_Exit(0);
}
