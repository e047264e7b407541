"""Chromium driven through its debugging pipe, in real time: what pages compute in workers needs it (page_check.py's time is virtual).

with Browser(SCRATCH) as browser:
    browser.open(ADDRESS, width=390, dark=True)
    browser.wait("document.title")        # until the expression is true; returns it
    browser.screenshot(FILE)
"""
import base64
import json
import os
import subprocess
import tempfile
import time

from page_check import BROWSER


class Browser:
    def __init__(self, scratch):
        self.profile = tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True)  # its last processes write on
        to_read, to_write = os.pipe(), os.pipe()  # of the browser's
        # The browser reads commands from 3 and writes answers to 4.
        command = (f'exec {BROWSER} --headless --no-sandbox --disable-gpu --hide-scrollbars --remote-debugging-pipe --user-data-dir="$0" '
                   '--host-resolver-rules="MAP * ~NOTFOUND" about:blank 3<&%d 4>&%d' % (to_read[0], to_write[1]))
        self.process = subprocess.Popen(["bash", "-c", command, self.profile.name], pass_fds=(to_read[0], to_write[1]), stderr=subprocess.DEVNULL)
        os.close(to_read[0])
        os.close(to_write[1])
        self.commands, self.answers = os.fdopen(to_read[1], "wb"), os.fdopen(to_write[0], "rb")
        self.number, self.session, self.console, self.rest = 0, None, [], b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.commands.close()
        self.answers.close()
        self.profile.cleanup()

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        self.commands.write(json.dumps(command).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self.message()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.console.append(json.dumps(answer["params"]["exceptionDetails"])[:300])
            if answer.get("method") == "Runtime.consoleAPICalled" and answer["params"]["type"] in ("error", "warning"):
                self.console.append(str([value.get("value") for value in answer["params"]["args"]]))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, address, width=1280, height=1000, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=address)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=30):
        """The value of the expression as soon as it is true; None after that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.02)
        return None

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
