#!/usr/bin/env python3
"""nomu serve: what programs ask, what they are told, and who is turned away."""

import concurrent.futures
import http.client
import json
import subprocess
import sys
import time
import unittest
import urllib.parse

import serving
from serving import HOSTILE, ServeCase

TOKEN = "0123456789abcdef-long-enough"


class Answers(ServeCase):
    def test_a_search_by_requests_alone(self) -> None:
        self.new("budget=5")
        served = self.serve()
        study = served.get("/api/study")
        self.assertEqual([v["name"] for v in study["variables"]], ["x", HOSTILE, "solver"])
        self.assertEqual([v.get("unit") for v in study["variables"]], [None, "<i>mm</i>", None])
        self.assertEqual(study["settings"]["method"], "random")
        asked = served.post("/api/ask", {"count": 3, "worker": "node7"})["trials"]
        self.assertEqual([trial["id"] for trial in asked], [1, 2, 3])
        self.assertEqual({trial["worker"] for trial in asked}, {"node7"})
        self.assertEqual(served.post("/api/tell", {"id": 1, "value": 0.5}), {"ids": [1]})
        results = [{"id": 2, "failed": "melted"}, {"point": asked[0]["point"], "value": 0.25}]
        self.assertEqual(served.post("/api/tell", {"results": results}), {"ids": [2, 4]})
        status = served.get("/api/status")
        self.assertEqual((status["finished"], status["failed"], status["pending"]), (2, 1, 1))
        self.assertEqual(served.get("/api/best")["id"], 4)
        self.assertEqual([worker["trial"] for worker in served.get("/api/workers")["workers"]], [3])
        self.assertEqual(served.post("/api/renew", {"ids": [3, 3, 1, 77]}), {"ids": [3]}, "1 has a result, 77 does not exist")
        self.assertEqual(served.post("/api/renew", {"ids": [3], "worker": "node7"}), {"ids": [3]})
        self.assertEqual(served.post("/api/renew", {"ids": [3], "worker": "node9"}), {"ids": []})
        self.assertEqual(served.post("/api/release", {"worker": "node7"}), {"released": 1})
        again = served.post("/api/ask", {"worker": "node8"})["trials"]
        self.assertEqual([(trial["id"], trial["worker"]) for trial in again], [(3, "node8")])
        self.assertEqual(served.get("/api/trials/2")["reason"], "melted")
        served.post("/api/ask", {})
        empty = served.post("/api/ask", {})
        self.assertEqual(empty["trials"], [])
        self.assertIn("the budget of 5 trials is spent", empty["why"])
        self.assertEqual(served.post("/api/budget", {"budget": 7})["budget"], 7)
        self.assertEqual(len(served.post("/api/ask", {"count": 9})["trials"]), 2)
        self.assertEqual(served.post("/api/stop", {})["budget"], 7)
        self.assertEqual(self.optimize("verify", self.study).returncode, 0)

    def test_lists_come_in_pages(self) -> None:
        self.new()
        served = self.serve()
        served.post("/api/ask", {"count": 25})
        served.post("/api/tell", {"results": [{"id": i, "value": i} for i in range(1, 21)]})
        seen, after = [], 0
        while after is not None:
            page = served.get(f"/api/trials?after={after}&limit=10")
            seen += [trial["id"] for trial in page["trials"]]
            after = page.get("next")
        self.assertEqual(seen, list(range(1, 26)))
        pending = served.get("/api/trials?state=pending&limit=5")
        self.assertEqual([trial["id"] for trial in pending["trials"]], [21, 22, 23, 24, 25])
        self.assertNotIn("next", pending)

    def test_a_model_with_its_uncertainty(self) -> None:
        self.new("method=gp", "initial=8")
        served = self.serve()
        self.assertIn("too few results", served.request("/api/model")[1])
        for trial in served.post("/api/ask", {"count": 12})["trials"]:
            served.post("/api/tell", {"id": trial["id"], "value": (trial["point"]["x"] - 0.3) ** 2})
        deadline = time.monotonic() + 60
        while True:  # the first one may have seen fewer results
            status, text = served.request("/api/model")
            if status == 200 and json.loads(text)["results"] == 12:
                break
            self.assertLess(time.monotonic(), deadline, text)
            time.sleep(0.2)
        model = json.loads(text)
        self.assertEqual([s["variable"] for s in model["slices"]], ["x", HOSTILE, "solver"])
        self.assertEqual(model["slices"][2]["values"], ["cg", "<b>lu</b>"])
        self.assertEqual(len(model["unseen"]["values"]), 12)
        along = model["slices"][0]
        self.assertEqual({len(along[key]) for key in ("values", "mean", "sigma")}, {61})
        self.assertTrue(all(sigma >= 0 for sigma in along["sigma"]))
        at = urllib.parse.quote(json.dumps({"x": 0.5, HOSTILE: 10, "solver": "cg"}))
        one = served.get(f"/api/model?variable=x&at={at}")
        self.assertEqual([len(one["slices"]), one["at"]["x"]], [1, 0.5])
        self.assertIn("no variable", served.request("/api/model?variable=y")[1])

    def test_slices_of_the_variables_that_count(self) -> None:
        self.new("method=gp", "initial=6", space="""
[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "lu"]
[[variables]]
name = "restart"
low = 5
high = 50
when = {solver = "cg"}
""")
        served = self.serve()
        served.post("/api/tell", {"point": {"solver": "lu"}, "value": 1})  # the best
        for restart in (5, 10, 20, 30, 40, 50):
            served.post("/api/tell", {"point": {"solver": "cg", "restart": restart}, "value": restart})
        cg = urllib.parse.quote(json.dumps({"solver": "cg", "restart": 20}))
        for where, variables in (("", ["solver"]), (f"?at={cg}", ["solver", "restart"])):
            self.assertEqual([one["variable"] for one in served.get(f"/api/model{where}")["slices"]], variables)

    def test_many_who_ask_at_once_share_one_model_and_get_different_points(self) -> None:
        self.new("method=gp", "initial=8")
        served = self.serve()
        for trial in served.post("/api/ask", {"count": 8})["trials"]:
            served.post("/api/tell", {"id": trial["id"], "value": trial["point"]["x"]})
        with concurrent.futures.ThreadPoolExecutor(16) as clients:
            asked = list(clients.map(lambda i: served.post("/api/ask", {"worker": f"w{i}"})["trials"], range(16)))
        self.assertEqual({len(trials) for trials in asked}, {1})
        self.assertEqual(len({json.dumps(trials[0]["point"]) for trials in asked}), 16)
        self.assertEqual({trials[0]["origin"] for trials in asked}, {"model"})
        verified = self.optimize("verify", self.study)
        self.assertEqual(verified.returncode, 0, verified.stdout)

    def test_changes_are_told_to_who_watches(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)
        stream = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        stream.request("GET", "/api/events")
        answer = stream.getresponse()
        self.assertEqual(answer.getheader("Content-Type"), "text/event-stream")
        self.assertIn(b'"event":0', answer.readline())
        self.optimize("ask", self.study)  # by another process
        lines = [answer.readline() for _ in range(2)]
        self.assertIn(b'"event":1', b"".join(lines))
        stream.close()

    def test_a_queued_point_is_handed_out_next(self) -> None:
        self.new("budget=1")
        served = self.serve()
        points = [{"x": x, HOSTILE: 10, "solver": "cg"} for x in (0.125, 0.25, 0.5)]
        self.assertEqual(served.post("/api/enqueue", {"point": points[0]}), {"ids": [1]})
        self.assertEqual(served.post("/api/enqueue", {"points": points[1:]}), {"ids": [2, 3]})
        self.assertEqual(served.get("/api/workers")["workers"], [], "nobody has them yet")
        self.assertIn("nobody yet", served.request("/")[1])
        asked = [served.post("/api/ask", {"worker": "w"})["trials"][0] for _ in range(3)]
        self.assertEqual([trial["point"] for trial in asked], points)
        self.assertEqual(asked[0]["origin"], "given")
        self.assertEqual(len(served.get("/api/workers")["workers"]), 3)
        self.assertEqual(served.post("/api/ask", {})["trials"], [], "the budget is spent")
        self.assertEqual(self.optimize("verify", self.study).returncode, 0)

    def test_fifty_people_watch_and_workers_are_served(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)

        def connection() -> http.client.HTTPConnection:
            made = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
            self.addCleanup(made.close)
            return made

        streams, pages = [], []
        for _ in range(64):  # two connections each, as a browser has them
            stream, page = connection(), connection()
            stream.request("GET", "/api/events")
            streams.append(stream.getresponse())
            self.assertIn(b'"event":0', streams[-1].readline() + streams[-1].readline())
            page.request("GET", "/parts")
            self.assertEqual(page.getresponse().read()[:1], b"{")
            pages.append(page)
        begin = time.monotonic()
        trial = served.post("/api/ask", {})["trials"][0]
        served.post("/api/tell", {"id": trial["id"], "value": 1})
        self.assertLess(time.monotonic() - begin, 4.0, "a worker waited for those who watch")
        for stream in streams:  # each is told; two changes may be told as one
            while b'"event":2' not in stream.readline():
                pass
        self.assertEqual(served.request("/api/events")[0], 503, "the others ask now and then")

    def test_two_servers_and_a_worker_on_one_study(self) -> None:
        self.new("budget=40")
        first, second = self.serve(), self.serve()
        worker = subprocess.Popen([serving.TOOL, "optimize", "run", self.study, "--command", "echo {x}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for served in (first, second, first, second):
            for trial in served.post("/api/ask", {"count": 2})["trials"]:
                served.post("/api/tell", {"id": trial["id"], "value": 1})
        self.assertEqual(worker.wait(timeout=60), 0)
        self.assertEqual(first.get("/api/status")["finished"], 40)
        self.assertEqual(self.optimize("verify", self.study).returncode, 0)

    def test_the_interface_is_documented(self) -> None:
        self.new(space='[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "random"\n')  # as in the examples
        served = self.serve()
        document = served.get("/openapi.json")
        self.assertEqual(document["openapi"], "3.0.3")
        self.assertEqual(document["security"], [{"token": []}, {}])
        page = served.request("/docs")[1]
        for path, methods in document["paths"].items():
            self.assertIn(path, page)
            for method, operation in methods.items():
                body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
                if method == "get" and path != "/api/events":
                    status, text = served.request(path.replace("{id}", "1"))
                    self.assertNotIn("there is no GET", text)
                elif method == "post":
                    status, text = served.request(path, body)
                    self.assertIn(status, (200, 404, 409), f"{path}: {text}")  # every example is understood


class Refusals(ServeCase):
    def refused(self, answer: tuple[int, str], status: int, text: str) -> None:
        self.assertEqual(answer[0], status, answer[1])
        self.assertIn(text, json.loads(answer[1])["error"])

    def test_wrong_requests(self) -> None:
        self.new()
        served = self.serve("--optimum", "0")
        served.post("/api/ask", {"count": 2})
        served.post("/api/tell", {"id": 1, "value": 1})
        tell, ask, enqueue = "/api/tell", "/api/ask", "/api/enqueue"
        for path, body, status, text in (
            (tell, b"{", 400, "one JSON object"),
            (tell, b"[1]", 400, "one JSON object"),
            (tell, b"[" * 100000, 400, "one JSON object"),
            (tell, b'{"id": 2, "value": NaN}', 400, "one JSON object"),
            (tell, b'{"id": 2, "value": 1e999}', 400, "one JSON object"),
            (tell, {"id": -1, "value": 1}, 404, "there is no trial -1"),
            (tell, {"id": 0, "value": 1}, 404, "there is no trial 0"),
            (tell, {"id": 99, "value": 1}, 404, "there is no trial 99; there are 2"),
            (tell, {"id": 10**30, "value": 1}, 400, "id must be the number of a trial"),
            (tell, {"id": 2, "value": "1"}, 400, "value must be a number"),
            (tell, {"id": 1, "value": 2}, 409, "trial 1 has the value 1 already"),
            (tell, {"id": 2}, 400, "either value or failed"),
            (tell, {"point": {"x": 2}, "value": 1}, 400, "the point lacks the variable"),
            (tell, {"results": []}, 400, "results must be a list"),
            (tell, {"results": [{"id": 2, "value": 1}, {"id": 7, "value": 1}]}, 404, "result 2: there is no trial 7"),
            (tell, {"id": 2, "value": 1, "repeated": "no"}, 400, "refuse, accept_equal or replace"),
            (tell, {"id": 2, "worth": 1}, 400, "unknown key 'worth'"),
            (ask, {"count": 0}, 400, "count must be a whole number from 1 to 1000"),
            (ask, {"count": -3}, 400, "count must be"),
            (ask, {"count": 1e9}, 400, "count must be"),
            (ask, {"count": "2"}, 400, "count must be"),
            (ask, {"worker": 5}, 400, "worker must be a text"),
            (ask, {"worker": "w" * 500}, 400, "at most 200 bytes"),
            (enqueue, {}, 400, "either point or points"),
            (enqueue, {"point": {"x": 0.5}, "points": []}, 400, "either point or points"),
            (enqueue, {"points": []}, 400, "a list of 1 to 1000 points"),
            (enqueue, {"point": [1, 2]}, 400, "a point is an object"),
            (enqueue, {"point": {"x": 0.5}}, 400, "the point lacks the variable"),
            (enqueue, {"point": {"x": 2, HOSTILE: 1, "solver": "cg"}}, 400, "'x' must be a number between 0 and 1, got 2"),
            (enqueue, {"point": {"x": "nan", HOSTILE: 1, "solver": "cg"}}, 400, "variable 'x' needs a finite number, got 'nan'"),
            (enqueue, {"point": {"x": 0.5}, "value": 1}, 400, "unknown key 'value'"),
            ("/api/renew", {"ids": "1"}, 400, "ids must be a list"),
            ("/api/renew", {"ids": [-1]}, 400, "the number of a trial"),
            ("/api/renew", {"ids": [1] * 1001}, 400, "a list of at most 1000 trials"),
            ("/api/renew", {"ids": [2], "worker": 5}, 400, "worker must be a text"),
            ("/api/release", {}, 400, "worker must be the name"),
            ("/api/budget", {"budget": -1}, 400, "budget must be"),
            ("/api/budget", {}, 400, "budget is missing"),
            ("/api/stop", {"now": True}, 400, "unknown key 'now'"),
            ("/api/nothing", {}, 404, "/docs lists what there is"),
        ):
            with self.subTest(path=path, body=str(body)[:60]):
                self.refused(served.request(path, body), status, text)
        self.refused(served.request("/api/trials?limit=5000"), 400, "limit must be a whole number from 1 to 1000")
        self.refused(served.request("/api/trials?after=x"), 400, "after must be")
        self.refused(served.request("/api/trials?state=lost"), 400, "pending, finished or failed")
        self.refused(served.request("/api/trials/99"), 404, "there is no trial 99")
        self.refused(served.request("/api/trials/-1"), 400, "the number of a trial")
        self.refused(served.request("/api/nothing"), 404, "/docs lists")
        self.refused(served.request("/nothing"), 404, "/docs lists")
        self.assertEqual(served.get("/api/status")["finished"], 1)

    def test_a_result_of_others_does_not_suffer_for_a_wrong_one(self) -> None:
        self.new()
        served = self.serve()
        served.post("/api/ask", {"count": 60})
        wrong = [{"id": i, "value": 1} for i in range(1, 61)] + [{"id": 1000 + i, "value": 1} for i in range(20)]
        with concurrent.futures.ThreadPoolExecutor(20) as clients:
            statuses = list(clients.map(lambda body: served.request("/api/tell", body)[0], wrong))
        self.assertEqual(statuses, [200] * 60 + [404] * 20)
        self.assertEqual(served.get("/api/status")["finished"], 60)

    def test_huge_and_strange_bodies(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)

        def raw(headers: str, body: bytes = b"") -> bytes:
            client = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
            client.connect()
            client.sock.sendall(f"POST /api/tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n".encode())
            try:
                client.sock.sendall(body)
            except OSError:
                pass  # it answers before it has read all
            answer = client.sock.recv(65536)
            client.close()
            return answer

        self.assertIn(b" 413 ", raw("Content-Length: 99999999\r\n", b"x" * 100000))
        self.assertIn(b" 411 ", raw("Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n0\r\n\r\n"))
        self.assertIn(b" 415 ", raw("Content-Encoding: gzip\r\nContent-Length: 5\r\n", b"hello"))
        self.assertEqual(served.get("/api/status")["trials"], 0)

    def test_pages_of_other_sites_change_nothing(self) -> None:
        self.new()
        served = self.serve()
        self.refused(served.request("/api/ask", {}, Origin="http://evil.example"), 403, "another site")
        self.refused(served.request("/api/ask", {}, Content_Type="text/plain"), 415, "send JSON")
        self.refused(served.request("/api/status", Host="evil.example"), 403, "without a token")
        origin = served.url.rstrip("/")
        self.assertEqual(served.request("/api/ask", {}, Origin=origin)[0], 200)

    def test_a_token(self) -> None:
        self.new()
        (self.folder / "token").write_text(TOKEN + "\n")
        served = self.serve("--host", "0.0.0.0", "--token-file", str(self.folder / "token"))
        cookie = f"nomu_token_{urllib.parse.urlsplit(served.url).port}"  # ports of a host share their cookies
        self.refused(served.request("/api/status"), 401, "Authorization: Bearer")
        self.refused(served.request("/api/status", Cookie=f"nomu_token_1={TOKEN}"), 401, "Bearer")
        for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
            self.refused(served.request("/api/status", Authorization=f"Bearer {wrong}"), 401, "Bearer")
            self.refused(served.request("/api/status", Cookie=f"{cookie}={wrong}"), 401, "Bearer")
        self.assertEqual(served.request("/api/status", Authorization=f"Bearer {TOKEN}")[0], 200)
        self.assertEqual(served.request("/api/status", Cookie=f"a=b; {cookie}={TOKEN}")[0], 200)
        status, page = served.request("/", Accept="text/html")
        self.assertEqual(status, 401)
        self.assertIn('type="password"', page)
        self.assertNotIn("variables", page)
        form = "application/x-www-form-urlencoded"
        self.assertIn("not the token", served.request("/login", b"token=wrong", Content_Type=form)[1])
        self.assertEqual(served.request("/", Cookie=f"{cookie}={TOKEN}")[0], 200)
        address = urllib.parse.urlsplit(served.url)
        client = http.client.HTTPConnection("127.0.0.1", address.port, timeout=30)
        client.request("POST", "/login", f"token={TOKEN}", {"Content-Type": form})
        self.assertTrue(client.getresponse().getheader("Set-Cookie").startswith(f"{cookie}={TOKEN};"))
        client.close()

    def test_what_is_refused_before_it_starts(self) -> None:
        self.new()
        used = self.serve()
        port = str(urllib.parse.urlsplit(used.url).port)
        (self.folder / "short").write_text("abc\n")
        for options, text in (
            (("--host", "0.0.0.0"), "there is no token"),
            (("--token-file", str(self.folder / "short")), "a token has 16 to 200"),
            (("--token-file", str(self.folder / "missing")), "missing"),
            (("--port", port), "another program may be using it"),
            (("--port", "70000"), "--port"),
            (("--host", "not-a-host.invalid", "--token-file", str(self.folder / "good")), "cannot listen on"),
        ):
            (self.folder / "good").write_text(TOKEN)
            with self.subTest(options=options):
                refused = subprocess.run([serving.TOOL, "serve", self.study, *options], capture_output=True, text=True,
                                         timeout=60, check=False)
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn(text, refused.stderr)
        missing = subprocess.run([serving.TOOL, "serve", self.folder / "none.db"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(missing.returncode, 2, missing.stderr)

    def test_a_server_that_only_shows(self) -> None:
        self.new()
        served = self.serve("--read-only")
        self.refused(served.request("/api/ask", {}), 409, "--read-only")
        self.assertNotIn('id="add"', served.request("/")[1])


class Page(ServeCase):
    def test_every_name_is_escaped(self) -> None:
        self.new()
        served = self.serve("--optimum", "-1")
        asked = served.post("/api/ask", {"count": 5, "worker": HOSTILE})["trials"]
        for trial in asked[:3]:
            served.post("/api/tell", {"id": trial["id"], "value": trial["id"]})
        served.post("/api/tell", {"id": 4, "failed": f"{HOSTILE} \"quoted\" & <img src=x onerror=alert(1)>"})
        time.sleep(1.2)
        page = served.request("/")[1]
        self.assertIn("&lt;script&gt;", page)
        for text in (page, *json.loads(served.request("/parts")[1])["parts"].values()):
            self.assertNotIn("<script>document", text)
            self.assertNotIn("<img src=x", text)
            self.assertNotIn("<b>lu</b>", text)
            self.assertNotIn("<i>more", text)
        self.assertEqual(page.count("<script"), 1)  # its own, by src
        self.assertIn("regret", page)

    def test_only_what_changed_is_sent_again(self) -> None:
        self.new()
        served = self.serve()
        served.post("/api/ask", {"count": 2})
        served.post("/api/tell", {"id": 1, "value": 1})
        time.sleep(1.5)
        first = served.get("/parts")
        again = served.get(f"/parts?event={first['event']}&model={first['model']}")
        self.assertIn("progress", first["parts"])
        self.assertNotIn("progress", again["parts"])
        self.assertIn("running", again["parts"])

    def test_a_lease_that_ends_is_shown_without_an_event(self) -> None:
        self.new("lease=3")
        served = self.serve()
        served.post("/api/ask", {})
        time.sleep(1)  # the page draws what it has read by then
        first = served.get("/parts")
        self.assertIn("<b>1</b><span>running</span>", first["parts"]["summary"])
        time.sleep(4)
        later = served.get(f"/parts?event={first['event']}&model={first['model']}")
        self.assertEqual(later["event"], first["event"])
        self.assertIn("<b>0</b><span>running</span>", later["parts"]["summary"])
        self.assertIn("<b>1</b><span>waiting for a worker</span>", later["parts"]["summary"])
        self.assertIn("setInterval(refresh, 10000)", served.request("/live.js")[1])

    def test_the_policy_of_the_page(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)
        client = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        client.request("GET", "/")
        answer = client.getresponse()
        self.assertIn("script-src 'self'", answer.getheader("Content-Security-Policy"))
        self.assertIn("frame-ancestors 'none'", answer.getheader("Content-Security-Policy"))
        self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")


class Ends(ServeCase):
    def test_it_ends_on_a_signal_while_somebody_watches(self) -> None:
        self.new()
        served = self.serve()
        address = urllib.parse.urlsplit(served.url)
        stream = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        stream.request("GET", "/api/events")
        stream.getresponse().readline()
        served.process.terminate()
        self.assertIn(served.process.wait(timeout=20), (0, 130))


if __name__ == "__main__":
    serving.TOOL = sys.argv.pop(1)
    unittest.main()
