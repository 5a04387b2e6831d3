# A service that keeps its last answers in a cache, of as many as its argument says, and is asked for ever new pages: GET /NUMBER.
# It prints its port.
import functools
import http.server
import json
import sys


@functools.lru_cache(maxsize=int(sys.argv[1]))
def render(number):
    rows = [{"row": row, "text": "page %d, row %d" % (number, row)} for row in range(20)]
    return json.dumps({"number": number, "rows": rows}).encode() + b"." * (number * 7919 % 3000)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = render(int(self.path[1:]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
