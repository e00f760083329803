"""Withdraws 25 USDT to the saved address and watches it leave. Standard library only."""

import sys
import time

from venue import caller

call = caller("withdraw")
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
