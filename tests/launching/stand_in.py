"""A program with the command line of our services: it serves the pages, or prints a cycle, as its policy tells it.

Of the policy it knows three fields: `mode` shows in its readiness, `never` keeps it from being ready, `code` ends it.
"""

import argparse
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import yaml

METRICS = 'shown_total{verb="filter"} 2\nshown_total{verb="preempt"} 3\nother 1\n'


def main() -> None:
    """Do what a service does, as far as whoever starts it can see."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    parser.add_argument("verb")
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--port", type=int)
    parser.add_argument("--admin-port", type=int)
    parser.add_argument("--once", action="store_true")
    given, _ = parser.parse_known_args()
    policy = yaml.safe_load(given.policy.read_text())
    say(f"seen {sys.argv[1:]} {os.environ.get('NO_PROXY')} {os.environ.get('EXTRA')}")
    if given.once:
        sys.stdout.write(json.dumps({"decisions": [policy]}))
    if given.once or "code" in policy:
        say("said before the end")
        sys.exit(policy.get("code", 0))
    serve(given.admin_port or given.port, given.policy)


def say(line: str) -> None:
    """Log a line."""
    sys.stderr.write(line + "\n")


def serve(port: int, policy: Path) -> None:
    """Serve the pages; the policy is read anew for each."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            now = yaml.safe_load(policy.read_text())
            explained = {"pod": self.path.partition("pod=")[2], "nodes": [{"node": "node-1", "verdict": "feasible"}]}
            pages = {"/readyz": json.dumps(now), "/metrics": METRICS, "/explain": json.dumps(explained)}
            self.send_response(503 if now.get("never") else 200)
            self.end_headers()
            self.wfile.write(pages[self.path.partition("?")[0]].encode())

    HTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
