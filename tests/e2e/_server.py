"""An HTTP server on loopback that says what a test wants."""

import http.server
import threading


class Server:
    """Answers GET and POST with what `answers` says of the handler: (status, headers, body), or None where it wrote the
    answer itself. `headers` are those of all requests so far; `place` is "127.0.0.1:PORT"."""

    def __init__(self, answers):
        self.headers = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.headers.append(dict(handler.headers))
                answer = answers(handler)
                if answer is None:
                    return
                status, headers, body = answer
                handler.send_response(status)
                for name, value in headers.items():
                    handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.place = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = f"http://{self.place}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
