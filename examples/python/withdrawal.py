"""Withdraws 25 USDT to the saved address and watches it leave. Standard library only."""

import base64
import hashlib
import hmac
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone

handout = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "./data/handout.json"))
keys = handout["families"][0]["accounts"][0]["keys"]
key = next(key for key in keys if "withdraw" in key["permissions"])
host = urllib.parse.urlsplit(handout["baseUrl"]).netloc


def call(method, path, **members):
    """Signs and sends: a GET has its members in the query, anything else in the body."""
    sent = urllib.parse.urlencode(members) if method == "GET" else json.dumps(members)
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    nonce = str(uuid.uuid4())
    message = "\n".join([now, nonce, method, host, path, sent])
    digest = hmac.new(key["secret"].encode(), message.encode(), hashlib.sha256).digest()
    headers = {
        "AccessKey": key["accessKey"],
        "Timestamp": now,
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


looks = int(sys.argv[2]) if len(sys.argv) > 2 else 60

saved = call("GET", "/v3/withdrawal-addresses", asset="USDT", network="Ethereum")[0]
asked = {"asset": "USDT", "network": "Ethereum", "address": saved["address"], "quantity": "25"}
fee = call("GET", "/v3/withdrawal-fee", **asked, externalFee="true")["estimatedFee"]
print(f"To {saved['label']}, {saved['address']}: 25 USDT and a fee of {fee}.")

made = call("POST", "/v3/withdrawal", **asked, externalFee=True)
print(f"Withdrawal {made['id']} is {made['status']}.", flush=True)
last = made["status"]
for _ in range(looks):
    if last == "COMPLETED":
        break
    time.sleep(0.25)
    shown = call("GET", "/v3/withdrawal", id=made["id"])[0]
    if shown["status"] != last:
        last = shown["status"]
        print(f"It is {last}, transaction {shown.get('txId', 'none yet')}.", flush=True)
