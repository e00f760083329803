#!/bin/sh
# Withdraws 25 USDT to the saved address and watches it leave. Needs curl and openssl.
set -eu
handout=${1:-./data/handout.json}
looks=${2:-30}
key_number=3
. "$(dirname "$0")/venue.sh"

place='asset=USDT&network=Ethereum'
address=$(call GET /v3/withdrawal-addresses "$place" | text address)
fee=$(call GET /v3/withdrawal-fee "$place&address=$address&quantity=25&externalFee=true" | text estimatedFee)
echo "To $address: 25 USDT and a fee of $fee."

made=$(call POST /v3/withdrawal "{\"asset\":\"USDT\",\"network\":\"Ethereum\",\"address\":\"$address\",\"quantity\":\"25\",\"externalFee\":true}")
id=$(echo "$made" | text id)
if [ -z "$id" ]; then
  echo "refused: $made"
  exit 1
fi
last=$(echo "$made" | text status)
echo "Withdrawal $id is $last."
while [ "$last" != COMPLETED ] && [ "$looks" -gt 0 ]; do
  sleep 1
  looks=$((looks - 1))
  status=$(call GET /v3/withdrawal "id=$id" | text status)
  if [ "$status" != "$last" ]; then echo "It is $status."; fi
  last=$status
done
