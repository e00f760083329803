"""Quotes both sides of ETH-USDT around the mark price and moves the quotes with it. Standard library only.

Should this program die, the venue cancels its quotes: a dead-man switch is set with every round.
"""

import sys
import time
from decimal import ROUND_DOWN, ROUND_UP, Decimal

from venue import caller

MARKET = "ETH-USDT"
QUANTITY = "0.1"
HALF_SPREAD = Decimal("0.002")
LABELS = {"BUY": "python bid", "SELL": "python ask"}

call = caller("trade")
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
