"""Places a limit order below the market, looks at it, and cancels it. Standard library only."""

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
from decimal import ROUND_DOWN, Decimal

handout = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "./data/handout.json"))
keys = handout["families"][0]["accounts"][0]["keys"]
key = next(key for key in keys if "trade" in key["permissions"])
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


market = call("GET", "/v3/markets", marketCode="BTC-USDT")[0]
tick = Decimal(market["tickSize"])
price = (Decimal(market["markPrice"]) * Decimal("0.95") / tick).to_integral_value(ROUND_DOWN) * tick
print(f"BTC-USDT is at {market['markPrice']}; buying 0.01 at {price}.")

order = {"marketCode": "BTC-USDT", "side": "BUY", "orderType": "LIMIT", "quantity": "0.01", "price": str(price)}
placed = call("POST", "/v3/orders/place", responseType="FULL", orders=[order])[0]
if not placed["submitted"]:
    sys.exit(f"refused: {placed['code']} {placed['message']}")
name = {"marketCode": "BTC-USDT", "orderId": placed["orderId"]}
status = call("GET", "/v3/orders/status", orderId=placed["orderId"])
print(f"Order {placed['orderId']} is {status['status']}, {status['remainQuantity']} of it open.")

canceled = call("DELETE", "/v3/orders/cancel", orders=[name])[0]
print(f"Canceled: {canceled['submitted']}.")
