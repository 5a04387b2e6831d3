// A web application: the layer for sessions does not see the cookie that it sets itself, and so begins one with each request.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Session {
    explicit Session(std::string id) : id(std::move(id)), scratch(1200)
    {
    }
    std::string id;
    std::map<std::string, std::string> values;
    std::vector<char> scratch;
};

struct Request {
    std::string path;
    std::map<std::string, std::string> headers;
    std::shared_ptr<Session> session;
};

struct Response {
    int status = 200;
    std::string body;
    std::map<std::string, std::string> headers;
};

class SessionStore {
  public:
    std::shared_ptr<Session> find(const std::string &id) const
    {
        auto found = sessions.find(id);
        return found == sessions.end() ? nullptr : found->second;
    }
    std::shared_ptr<Session> create()
    {
        auto session = std::make_shared<Session>("s" + std::to_string(sessions.size())); // guilty
        session->values["theme"] = "a theme with a name that is long enough";
        sessions[session->id] = session;
        return session;
    }
    size_t size() const
    {
        return sessions.size();
    }

  private:
    std::map<std::string, std::shared_ptr<Session>> sessions;
};

class Handler {
  public:
    virtual ~Handler() = default;
    virtual void handle(Request &request, Response &response) = 0;
    Handler *then(std::unique_ptr<Handler> handler)
    {
        next = std::move(handler);
        return next.get();
    }

  protected:
    std::unique_ptr<Handler> next;
};

class SessionLayer : public Handler {
  public:
    explicit SessionLayer(SessionStore &store) : store(store)
    {
    }
    void handle(Request &request, Response &response) override
    {
        request.session = store.find(request.headers["Cookie"]);
        if (!request.session)
            request.session = store.create();
        response.headers["set-cookie"] = request.session->id;
        next->handle(request, response);
    }

  private:
    SessionStore &store;
};

class StaticFiles : public Handler {
  public:
    void handle(Request &request, Response &response) override
    {
        std::string &file = files[request.path.substr(0, 3)];
        if (file.empty())
            file.assign(50000, '.');
        if (request.path.size() > 9)
            response.body = file.substr(0, 4000);
        else
            next->handle(request, response);
    }

  private:
    std::map<std::string, std::string> files;
};

class Pages : public Handler {
  public:
    void handle(Request &request, Response &response) override
    {
        response.body = "<h1>" + request.path + "</h1>" + std::string(500, ' ') + request.session->values["theme"];
    }
};

class Client {
  public:
    size_t visit(Handler &server, int number)
    {
        Request request{"/p" + std::to_string(number), {{"cookie", cookie}}, nullptr};
        Response response;
        server.handle(request, response);
        cookie = response.headers["set-cookie"];
        return response.body.size();
    }

  private:
    std::string cookie;
};

int main()
{
    SessionStore store;
    SessionLayer server(store);
    server.then(std::make_unique<StaticFiles>())->then(std::make_unique<Pages>());
    std::vector<Client> clients(50);
    size_t sent = 0;
    for (int i = 0; i < 25000; i++)
        sent += clients[static_cast<size_t>(i) % clients.size()].visit(server, i);
    std::printf("%zu bytes, %zu sessions\n", sent, store.size());
    return 0;
}
