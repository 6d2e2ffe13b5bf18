#!/usr/bin/env python3
"""nomu serve under attack: requests hidden in others, texts that are nested or long, studies damaged while served."""

import json
import select
import socket
import sqlite3
import sys
import time
import unittest
import urllib.parse

import serving
from serving import ServeCase, Served

JSON = "Content-Type: application/json\r\n"
HIDDEN = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\n{JSON}Content-Length: 2\r\n\r\n{{}}"


def talk(served: Served, *texts: str, seconds: float = 3) -> str:
    """What the server says until it closes the connection, or has been silent for a while."""
    address = urllib.parse.urlsplit(served.url)
    answer = b""
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.settimeout(seconds)
        try:
            for text in texts:
                connection.sendall(text.encode())
            while part := connection.recv(1 << 16):
                answer += part
        except OSError:
            pass
    return answer.decode()


class Requests(ServeCase):
    def test_a_body_that_is_not_read_is_no_request(self) -> None:
        self.new()
        served = self.serve()
        heads = [
            ("POST /api/tell HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Type: text/plain\r\n", 403),
            ("POST /api/tell HTTP/1.1\r\nHost: evil.example\r\nContent-Type: text/plain\r\n", 403),
            (f"POST /{'a' * 9000} HTTP/1.1\r\nHost: localhost\r\n{JSON}", 414),
            ("GET /api/status HTTP/1.1\r\nHost: localhost\r\n", 400),
            ("DELETE /api/trials HTTP/1.1\r\nHost: localhost\r\n", 405),
            (f"POST /api/tell HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n{JSON}", 415),
            (f"POST /api/tell HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n{JSON}", 411),
            (f"POST /api/tell HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n{JSON}", 400),
        ]
        # The library reads 4 kB at a time and forgets the rest of them: what is hidden begins where a read ends.
        for head, status in heads:
            for reads in range(1 + len(head) // 4096, 4 + len(head) // 4096):
                length = "Content-Length: 99999\r\n\r\n"
                filling = 4096 * reads - len(head) - len(length)
                body = "x" * filling + HIDDEN
                answer = talk(served, head + f"Content-Length: {len(body):05}\r\n\r\n" + body)
                self.assertIn(f"HTTP/1.1 {status} ", answer)
                self.assertEqual(answer.count("HTTP/1.1 "), 1, (head[:60], answer))
        self.assertEqual(served.get("/api/status")["trials"], 0)

    def test_requests_whose_end_is_unknown_are_answered_at_once(self) -> None:
        self.new()
        served = self.serve()
        post = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\n{JSON}"
        begin = time.monotonic()
        for headers, status in [
            ("", 411), ("Content-Length: -1\r\n", 400), ("Content-Length: 2x\r\n", 400), ("Content-Length: \r\n", 411),
            ("Content-Length: 99999999999999999999\r\n", 413), ("Content-Length: 2\r\nContent-Length: 2\r\n", 400),
        ]:  # fmt: skip
            self.assertIn(f"HTTP/1.1 {status} ", talk(served, post + headers + "\r\n{}", seconds=20), headers)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(served.get("/api/status")["trials"], 0)

    def test_parts_of_an_answer_do_not_add_up_to_more_than_it(self) -> None:
        self.new()
        served = self.serve()
        get = "GET /live.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes="
        self.assertIn("HTTP/1.1 416 ", talk(served, get + ",".join(["0-"] * 2000) + "\r\n\r\n"))
        self.assertIn("HTTP/1.1 206 ", talk(served, get + "0-9\r\n\r\n"))
        for range_ in ("99999999-", "-99999999", "9-3", "-", "0-99999999999999999999999"):
            talk(served, get + range_ + "\r\n\r\n")
            talk(served, get.replace("live.js", "nothing") + range_ + "\r\n\r\n")
        self.assertEqual(served.get("/api/status")["trials"], 0)

    def test_texts_that_are_nested_very_deeply(self) -> None:
        self.new()
        served = self.serve()
        deep = b"[" * 1000000 + b"]" * 1000000
        for path in ("/api/tell", "/api/ask", "/api/renew", "/api/release", "/api/budget", "/api/stop"):
            for key in (b"point", b"results", b"repeated", b"count", b"ids", b"worker", b"budget"):
                status, text = served.request(path, b'{"' + key + b'":' + deep + b"}")
                self.assertEqual((status, "the body must be one JSON object" in text), (400, True), (path, key, text[:200]))
        status, text = served.request("/api/model?at=" + "[" * 7000)
        self.assertEqual(status, 400, text[:200])
        self.assertEqual(served.get("/api/status")["trials"], 0)


class Limits(ServeCase):
    def test_headers_have_a_limit(self) -> None:
        self.new()
        served = self.serve()
        head = "GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        self.assertIn("HTTP/1.1 200 ", talk(served, head + "".join(f"X-{i}: 1\r\n" for i in range(150)) + "\r\n"))
        for headers in ("".join(f"X-{i}: 1\r\n" for i in range(300)), "".join(f"X-{i}: {'y' * 8000}\r\n" for i in range(12))):
            self.assertNotIn("HTTP/1.1 200 ", talk(served, head + headers + "\r\n"))
        self.assertEqual(served.get("/api/status")["trials"], 0)

    def test_a_request_that_comes_drop_by_drop_is_ended(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n")
            begin = time.monotonic()
            try:
                while not select.select([connection], [], [], 2)[0] and time.monotonic() - begin < 60:
                    connection.sendall(b"X: 1\r\n")
            except OSError:
                pass  # it was closed
            self.assertGreater(time.monotonic() - begin, 10)
            self.assertLess(time.monotonic() - begin, 30)


class Damage(ServeCase):
    def damage(self, sql: str) -> None:
        connection = sqlite3.connect(self.study)
        connection.executescript(sql)
        connection.close()

    def test_a_study_that_is_damaged_while_it_is_served(self) -> None:
        for sql in (
            "update trials set id = 1000000000000 where id = 2; update events set trial = 1000000000000 where trial = 2;"
            "insert into events select max(number) + 1, 'tell', 1000000000000, '{\"v\":2,\"values\":[1]}', 0 from events;",
            "update trials set id = 0 where id = 2;"
            "insert into events select max(number) + 1, 'tell', 0, '{\"v\":2,\"values\":[1]}', 0 from events;",
            "update trials set id = 7 where id = 2;"
            "insert into events select max(number) + 1, 'tell', 7, '{\"v\":2,\"values\":[1]}', 0 from events;",
            "update trials set asked = 1e300, told = -1e300, lease = 1e308;"
            "insert into events select max(number) + 1, 'tell', 2, '{\"v\":2,\"values\":[1]}', 0 from events;",
        ):
            self.study.unlink(missing_ok=True)
            self.new()
            served = self.serve()
            served.post("/api/ask", {"count": 3})
            served.post("/api/tell", {"id": 1, "failed": "melted"})
            served.request("/")
            self.damage(sql)
            time.sleep(1.5)  # a page is drawn anew after a second
            self.assertEqual(served.request("/")[0], 200, sql)
            self.assertEqual(served.request("/parts")[0], 200, sql)
            self.assertIn(served.request("/api/trials")[0], (200, 400), sql)
            self.assertIsNone(served.process.poll(), sql)
            served.stop()


    def test_events_that_a_crash_of_the_database_took_back(self) -> None:
        self.new()
        served = self.serve()

        def workers() -> list[str]:
            return [trial["worker"] for trial in served.get("/api/trials")["trials"]]

        served.post("/api/ask", {"count": 3, "worker": "before"})
        self.assertEqual(workers(), ["before"] * 3)
        self.damage("delete from trials where id = 3; delete from events where number = 3;")
        self.assertEqual(workers(), ["before"] * 2)
        self.damage("update trials set worker = 'after' where id = 2; update events set at = at + 1 where number = 2;")
        self.assertEqual(workers(), ["before", "after"], "another event has the same number now")

    def test_a_model_is_tried_again_after_an_error(self) -> None:
        self.new("method=gp", "initial=8")
        served = self.serve()
        for trial in served.post("/api/ask", {"count": 10})["trials"]:
            served.post("/api/tell", {"id": trial["id"], "value": trial["point"]["x"]})
        served.get("/api/trials")  # it has seen them all
        self.damage("update trials set point = 'x' || point where id = 1;")
        self.assertEqual(served.request("/api/model")[0], 409)
        self.damage("update trials set point = substr(point, 2) where id = 1;")
        deadline = time.monotonic() + 60
        while served.request("/api/model")[0] != 200:
            self.assertLess(time.monotonic(), deadline, "no model")
            time.sleep(0.5)

    def test_a_model_follows_a_result_that_is_replaced(self) -> None:
        self.new("method=gp", "initial=8")
        served = self.serve()
        for trial in served.post("/api/ask", {"count": 10})["trials"]:
            served.post("/api/tell", {"id": trial["id"], "value": trial["id"]})

        def until(id_: int) -> None:
            best = served.get("/api/best")["point"]
            deadline = time.monotonic() + 60
            while json.loads(served.request("/api/model")[1]).get("at") != best:
                self.assertLess(time.monotonic(), deadline, f"no model around trial {id_}")
                time.sleep(0.5)

        until(1)
        served.post("/api/tell", {"id": 5, "value": -5, "repeated": "replace"})
        until(5)


if __name__ == "__main__":
    serving.TOOL = sys.argv.pop(1)
    unittest.main()
