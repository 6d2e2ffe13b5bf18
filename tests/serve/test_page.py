#!/usr/bin/env python3
"""The live page in a real browser: Debian's chromium, driven by selenium.

usage: tests/serve/test_page.py TOOL [--screenshots FOLDER]
"""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import serving
from serving import HOSTILE, ServeCase

SCREENSHOTS = ""
WHY_NOT = ""
try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    # Debian's selenium belongs to Debian's Python, which may not be the one that runs this.
    if os.path.exists("/usr/lib/python3/dist-packages/selenium") and sys.executable != "/usr/bin/python3":
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    WHY_NOT = "no selenium (Debian: python3-selenium)"
if not WHY_NOT and not (shutil.which("chromium") and shutil.which("chromedriver")):
    WHY_NOT = "no browser (Debian: chromium chromium-driver)"

WIDTHS = {"laptop": 1280, "phone": 390}
PATIENCE_S = 90


def browser(width: int, dark: bool = False):
    options = webdriver.ChromeOptions()
    # A browser in a container has neither a sandbox of its own nor shared memory to speak of.
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--window-size={width},900",
                 "--hide-scrollbars", *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else [])):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
    driver = webdriver.Chrome(service=service, options=options)
    # Windows are not narrower than 500 pixels; what the page sees is.
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
    return driver


@unittest.skipIf(WHY_NOT, WHY_NOT)
class LivePage(ServeCase):
    def open(self, served: serving.Served, width: int = WIDTHS["laptop"], dark: bool = False):
        driver = browser(width, dark)
        self.addCleanup(driver.quit)
        driver.get(served.url)
        return driver

    def wait(self, driver, what, message: str):
        return WebDriverWait(driver, PATIENCE_S).until(lambda _: what(), message)

    def text(self, driver, part: str) -> str:
        return driver.find_element(By.ID, part).text

    def picture(self, driver, name: str) -> None:
        if not SCREENSHOTS:
            return
        height = driver.execute_script("return document.documentElement.scrollHeight")
        width = driver.execute_script("return window.innerWidth")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": min(height, 12000), "deviceScaleFactor": 1, "mobile": width < 500})
        Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        driver.save_screenshot(str(Path(SCREENSHOTS) / f"{name}.png"))

    def test_it_opens_and_follows_a_running_study(self) -> None:
        self.new("budget=30")
        served = self.serve()
        driver = self.open(served)
        self.wait(driver, lambda: self.text(driver, "live") == "live", "no stream of events")
        self.assertIn("no result yet", self.text(driver, "summary"))
        worker = subprocess.Popen([serving.TOOL, "optimize", "run", str(self.study), "--command", "sleep 0.1; echo {x}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(driver, lambda: "smallest value so far" in self.text(driver, "summary"), "no result appeared")
        self.assertEqual(worker.wait(timeout=PATIENCE_S), 0)
        self.wait(driver, lambda: "the budget is spent" in self.text(driver, "summary"), "the end did not appear")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "#progress svg")), 2)
        self.assertEqual([line for line in driver.get_log("browser") if line["level"] == "SEVERE"], [])
        served.stop()
        self.wait(driver, lambda: "trying again" in self.text(driver, "live"), "the page did not see that the server ended")

    def test_it_adds_a_point_and_steers(self) -> None:
        self.new("budget=10")
        served = self.serve()
        served.post("/api/ask", {"count": 2})
        driver = self.open(served)

        def add(x: str, value: str) -> None:
            for place, text in (("v0", x), ("v1", "10"), ("value", value)):
                field = driver.find_element(By.ID, place)
                field.clear()
                field.send_keys(text)
            Select(driver.find_element(By.ID, "v2")).select_by_visible_text("<b>lu</b>")
            driver.find_element(By.CSS_SELECTOR, "#add button").click()

        add("0.25", "1.5")
        self.wait(driver, lambda: "added as trial 3" in self.text(driver, "message"), "nothing was added")
        self.assertEqual(served.get("/api/trials/3")["point"], {"x": 0.25, HOSTILE: 10.0, "solver": "<b>lu</b>"})
        self.wait(driver, lambda: "1.5" in self.text(driver, "summary"), "the page does not show it")
        add("7", "1.5")
        self.wait(driver, lambda: driver.find_element(By.ID, "message").get_attribute("class") == "bad", "no error")
        self.assertIn("'x'", self.text(driver, "message"))
        add("0.5", "-")  # a browser takes this for no number
        self.wait(driver, lambda: "the value must be a number, or nothing" in self.text(driver, "message"), "no error")
        add("0.5", "")
        self.wait(driver, lambda: "queued as trial 4" in self.text(driver, "message"), "nothing was queued")
        self.wait(driver, lambda: "is handed out next" in self.text(driver, "running"), "the page does not show it")
        self.assertEqual(served.post("/api/ask", {})["trials"][0]["point"], {"x": 0.5, HOSTILE: 10.0, "solver": "<b>lu</b>"})
        driver.find_element(By.CSS_SELECTOR, "#stop button").click()
        self.wait(driver, lambda: "stopped after 4 trials" in self.text(driver, "message"), "it did not stop")
        driver.find_element(By.ID, "trials").send_keys("50")
        driver.find_element(By.CSS_SELECTOR, "#budget button").click()
        self.wait(driver, lambda: "the budget is 50 trials now" in self.text(driver, "message"), "no larger budget")
        self.assertEqual(served.get("/api/status")["budget"], 50)

    def test_a_point_without_the_variables_that_do_not_count(self) -> None:
        self.new(space="""
[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "lu"]
[[variables]]
name = "restart"
type = "integer"
low = 5
high = 50
when = {solver = "cg"}
[[variables]]
name = "shift"
type = "categorical"
choices = ["up", "down"]
when = {solver = "cg"}
""")
        served = self.serve()
        driver = self.open(served)

        def add(solver: str, restart: str, shift: str) -> None:
            Select(driver.find_element(By.ID, "v0")).select_by_visible_text(solver)
            driver.find_element(By.ID, "v1").clear()
            driver.find_element(By.ID, "v1").send_keys(restart)
            Select(driver.find_element(By.ID, "v2")).select_by_visible_text(shift)
            driver.find_element(By.CSS_SELECTOR, "#add button").click()

        add("lu", "", "not set")
        self.wait(driver, lambda: "queued as trial 1" in self.text(driver, "message"), "nothing was queued")
        self.assertEqual(served.get("/api/trials/1")["point"], {"solver": "lu"})
        self.wait(driver, lambda: "solver=lu" in self.text(driver, "running"), "the page does not show it")
        self.assertNotIn("restart=", self.text(driver, "running"))
        add("cg", "", "up")
        self.wait(driver, lambda: "lacks the variable 'restart'" in self.text(driver, "message"), "no error")
        add("cg", "7", "up")
        self.wait(driver, lambda: "queued as trial 2" in self.text(driver, "message"), "nothing was queued")
        self.assertEqual(served.get("/api/trials/2")["point"], {"solver": "cg", "restart": 7, "shift": "up"})

    def test_names_are_no_scripts_and_nothing_sticks_out(self) -> None:
        self.new("method=gp", "initial=8")
        served = self.serve("--optimum", "-1")
        for trial in served.post("/api/ask", {"count": 14, "worker": HOSTILE})["trials"][:12]:
            value = (trial["point"]["x"] - 0.3) ** 2
            body = {"id": trial["id"], "value": value} if trial["id"] != 5 else {"id": 5, "failed": f"{HOSTILE} exploded"}
            served.post("/api/tell", body)
        for name, width in WIDTHS.items():
            for dark in (False, True):
                driver = self.open(served, width, dark)
                self.wait(driver, lambda shown=driver: "Fitted to" in self.text(shown, "model"), "no model appeared")
                self.assertNotIn("owned", driver.title)
                self.assertIn(HOSTILE, self.text(driver, "running"))
                self.assertIn(f"{HOSTILE} exploded", self.text(driver, "failed"))
                self.assertEqual(driver.execute_script("return window.innerWidth"), width)
                sticks_out = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
                self.assertLessEqual(sticks_out, 0, f"the page is wider than the {name}")
                severe = [line for line in driver.get_log("browser") if line["level"] == "SEVERE"]
                self.assertEqual(severe, [])
                self.picture(driver, f"{name}{'_dark' if dark else ''}")


if __name__ == "__main__":
    serving.TOOL = sys.argv.pop(1)
    if "--screenshots" in sys.argv:
        at = sys.argv.index("--screenshots")
        SCREENSHOTS = sys.argv[at + 1]
        del sys.argv[at : at + 2]
    if WHY_NOT:
        print(f"skipped: {WHY_NOT}")
        sys.exit(77)
    os.environ.setdefault("HOME", "/tmp")
    unittest.main()
