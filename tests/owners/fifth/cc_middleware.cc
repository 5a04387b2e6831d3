// A web framework in small: handlers are functions, and middleware are functions of handlers.
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace web {

struct Request {
    std::string path;
    std::map<std::string, std::string> headers;
};

struct Response {
    int status = 200;
    std::map<std::string, std::string> headers;
    std::string body;
};

using Handler = std::function<Response(const Request &)>;
using Middleware = std::function<Handler(Handler)>;

class App
{
public:
    App &use(Middleware m)
    {
        middleware_.push_back(std::move(m));
        return *this;
    }
    App &get(std::string path, Handler h)
    {
        for (auto m = middleware_.rbegin(); m != middleware_.rend(); ++m)
            h = (*m)(std::move(h));
        routes_[std::move(path)] = std::move(h);
        return *this;
    }
    Response handle(const Request &request) const
    {
        auto at = routes_.find(request.path.substr(0, request.path.find('?')));
        return at == routes_.end() ? Response{404, {}, "not found"} : at->second(request);
    }

private:
    std::vector<Middleware> middleware_;
    std::unordered_map<std::string, Handler> routes_;
};

Response html(std::string title, const std::string &content)
{
    Response r;
    r.headers["Content-Type"] = "text/html; charset=utf-8";
    r.body = "<!DOCTYPE html><html><head><title>" + title + "</title></head><body>" + content + "</body></html>";
    return r;
}

} // namespace web

namespace {

web::Middleware counting(std::map<int, int> &counts)
{
    return [&counts](web::Handler next) -> web::Handler {
        return [&counts, next = std::move(next)](const web::Request &request) {
            auto response = next(request);
            counts[response.status]++;
            return response;
        };
    };
}

// The key is the whole address, with what is unique in it.
web::Middleware caching()
{
    return [](web::Handler next) -> web::Handler {
        return [next = std::move(next), pages = std::unordered_map<std::string, web::Response>()](const web::Request &request) mutable {
            auto at = pages.find(request.path);
            if (at != pages.end())
                return at->second;
            auto response = next(request);
            pages[request.path] = response; // guilty
            return response;
        };
    };
}

web::Middleware sessions(std::unordered_map<std::string, int> &visits)
{
    return [&visits](web::Handler next) -> web::Handler {
        return [&visits, next = std::move(next)](const web::Request &request) {
            visits[request.headers.at("Cookie")]++;
            return next(request);
        };
    };
}

web::Response product_page(const web::Request &request)
{
    std::ostringstream out;
    for (int i = 0; i < 12; i++)
        out << "<li>" << i << ": a product seen from " << request.path << "</li>\n";
    return web::html("Products", "<ul>" + out.str() + "</ul>");
}

web::Response home_page(const web::Request &)
{
    return web::html("Home", "<h1>Welcome</h1>");
}

} // namespace

int main()
{
    std::map<int, int> counts;
    std::unordered_map<std::string, int> visits;
    web::App app;
    app.use(counting(counts)).use(sessions(visits)).use(caching());
    app.get("/", home_page).get("/products", product_page);
    for (int i = 0; i < 130000; i++) {
        web::Request request;
        request.path = i % 3 ? "/" : i % 2 ? "/products?click=" + std::to_string(i) : i % 4 ? "/missing" : "/products?click=" + std::to_string(-i);
        request.headers["Cookie"] = "session=" + std::to_string(i % 5000);
        app.handle(request);
    }
    std::cout << counts[200] << " pages, " << visits.size() << " visitors\n";
}
