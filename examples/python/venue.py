"""Signs and sends requests with the key of a handout. Standard library only; the other programs here use it."""

import base64
import hashlib
import hmac
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone


def caller(permission):
    """The function that signs for the first demo account, with a key that has the permission."""
    handout = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "./data/handout.json"))
    keys = handout["families"][0]["accounts"][0]["keys"]
    key = next(key for key in keys if permission in key["permissions"])
    host = urllib.parse.urlsplit(handout["baseUrl"]).netloc

    def call(method, path, **members):
        """Signs and sends: a GET has its members in the query, anything else in the body."""
        sent = urllib.parse.urlencode(members) if method == "GET" else json.dumps(members)
        time = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        nonce = str(uuid.uuid4())
        message = "\n".join([time, nonce, method, host, path, sent])
        digest = hmac.new(key["secret"].encode(), message.encode(), hashlib.sha256).digest()
        headers = {
            "AccessKey": key["accessKey"],
            "Timestamp": time,
            "Nonce": nonce,
            "Signature": base64.b64encode(digest).decode(),
            "Content-Type": "application/json",
        }
        query = "?" + sent if method == "GET" and sent else ""
        body = None if method == "GET" else sent.encode()
        request = urllib.request.Request(handout["baseUrl"] + path + query, body, headers, method=method)
        try:
            return json.load(urllib.request.urlopen(request))["data"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path} was refused: {error.read().decode()}")

    return call
