"""Quotes both sides of ETH-USDT around the mark price and moves the quotes with it. Standard library only.

Should this program die, the venue cancels its quotes: a dead-man switch is set with every round.
"""

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
from decimal import ROUND_DOWN, ROUND_UP, Decimal

MARKET = "ETH-USDT"
QUANTITY = "0.1"
HALF_SPREAD = Decimal("0.002")
LABELS = {"BUY": "python bid", "SELL": "python ask"}

handout = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "./data/handout.json"))
keys = handout["families"][0]["accounts"][0]["keys"]
key = next(key for key in keys if "trade" in key["permissions"])
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


rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10


def stepped(price, tick, rounding):
    """A multiple of the tick: down for what we pay, up for what we ask."""
    return str((price / tick).to_integral_value(rounding) * tick)


def quote(side, price):
    """A label names one open order: an open quote is moved, a filled one is placed anew."""
    name = {"marketCode": MARKET, "label": LABELS[side]}
    moved = call("POST", "/v3/orders/modify", orders=[{**name, "price": price}])[0]
    if moved["submitted"]:
        return f"{side} moved to {price}"
    order = {**name, "side": side, "price": price, "quantity": QUANTITY, "orderType": "LIMIT"}
    order["timeInForce"] = "MAKER_ONLY_REPRICE"
    placed = call("POST", "/v3/orders/place", responseType="FULL", orders=[order])[0]
    if placed["submitted"]:
        return f"{side} {QUANTITY} at {placed['price']}"
    return f"{side} refused: {placed['message']}"


try:
    for number in range(1, rounds + 1):
        call("POST", "/v3/orders/cancel-all-after", timeout=30_000, marketCode=MARKET)
        market = call("GET", "/v3/markets", marketCode=MARKET)[0]
        mark, tick = Decimal(market["markPrice"]), Decimal(market["tickSize"])
        bid = quote("BUY", stepped(mark * (1 - HALF_SPREAD), tick, ROUND_DOWN))
        ask = quote("SELL", stepped(mark * (1 + HALF_SPREAD), tick, ROUND_UP))
        print(f"Round {number}, mark {mark}: {bid}, {ask}.", flush=True)
        if number < rounds:
            time.sleep(1)
finally:
    call("DELETE", "/v3/orders/cancel-all", marketCode=MARKET)
    call("POST", "/v3/orders/cancel-all-after", timeout=0, marketCode=MARKET)
    trades = call("GET", "/v3/trades", marketCode=MARKET, limit=500)
    print(f"Quotes canceled; {len(trades)} trades of this account in the last day.")
