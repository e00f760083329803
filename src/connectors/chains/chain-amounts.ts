/**
 * Amounts between a chain and the ledger. A chain counts in parts of 10^-decimals, the ledger in parts of
 * 10^-scale. Incoming amounts are floored to the ledger's parts; the rest is dust, kept in the chain's parts,
 * so that chain = ledger + dust holds exactly.
 */
export type Credit = { readonly credited: bigint; readonly dust: bigint };

export function creditOf(chainAmount: bigint, decimals: number, scale: number): Credit {
  if (decimals <= scale) return { credited: chainAmount * tenTo(scale - decimals), dust: 0n };
  const step = tenTo(decimals - scale);
  return { credited: chainAmount / step, dust: chainAmount % step };
}

/** Undefined if the chain is coarser than the ledger and cannot represent the amount. */
export function chainAmountOf(parts: bigint, scale: number, decimals: number): bigint | undefined {
  if (decimals >= scale) return parts * tenTo(decimals - scale);
  const step = tenTo(scale - decimals);
  return parts % step === 0n ? parts / step : undefined;
}

const tenTo = (exponent: number): bigint => 10n ** BigInt(exponent);
