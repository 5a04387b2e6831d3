// A std::string in each session, and sessions that are never closed.
#include <string>
#include <vector>

struct Session {
    std::string buffer;
};

static std::vector<Session *> sessions;

[[gnu::noinline]] static void open_session()
{
    auto *session = new Session;
    session->buffer.resize(4000); // guilty
    sessions.push_back(session);
}

[[gnu::noinline]] static void reserve_sessions()
{
    sessions.reserve(100000);
}

int main()
{
    reserve_sessions();
    for (int i = 0; i < 20000; i++)
        open_session();
}
