#!/bin/sh
# Places a limit order below the market, looks at it, and cancels it. Needs curl and openssl.
set -eu
handout=${1:-./data/handout.json}
key_number=2
. "$(dirname "$0")/venue.sh"

mark=$(call GET /v3/markets marketCode=BTC-USDT | text markPrice)
price=$(echo "$mark" | awk '{ printf "%d", $1 * 0.95 }')
echo "BTC-USDT is at $mark; buying 0.01 at $price."

order="{\"marketCode\":\"BTC-USDT\",\"side\":\"BUY\",\"orderType\":\"LIMIT\",\"quantity\":\"0.01\",\"price\":\"$price\"}"
placed=$(call POST /v3/orders/place "{\"responseType\":\"FULL\",\"orders\":[$order]}")
id=$(echo "$placed" | text orderId)
if [ -z "$id" ]; then
  echo "refused: $placed"
  exit 1
fi
status=$(call GET /v3/orders/status "orderId=$id" | text status)
echo "Order $id is $status."

canceled=$(call DELETE /v3/orders/cancel "{\"orders\":[{\"marketCode\":\"BTC-USDT\",\"orderId\":\"$id\"}]}")
echo "Canceled: $(echo "$canceled" | text notice)."
