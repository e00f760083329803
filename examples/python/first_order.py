"""Places a limit order below the market, looks at it, and cancels it. Standard library only."""

import sys
from decimal import ROUND_DOWN, Decimal

from venue import caller

call = caller("trade")
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
