/**
 * Decides the next step to bring a deposit address's balance into the hot wallet. It reads the chain and
 * returns one payment; the caller assigns a nonce, records and sends it like a withdrawal, and calls again
 * once it is final. So it can be called at any time, after any crash.
 *
 * The coin pays for itself. A token needs coin for its fee at the deposit address: a top-up from the hot
 * wallet, marked so that it is never mistaken for a deposit.
 */
import {
  type Chain,
  type Fee,
  HOT,
  type PaymentDraft,
  type TokenId,
  type Wallet,
} from './chain.ts';
import { costMax } from './fees.ts';

export type SweepStep =
  | { readonly kind: 'nothing'; readonly reason: SweepPause }
  | { readonly kind: 'top-up' | 'sweep'; readonly draft: PaymentDraft; readonly fee: Fee };
type SweepPause =
  | 'ALREADY_THERE'
  | 'BELOW_MINIMUM'
  | 'COSTS_MORE_THAN_IT_BRINGS'
  | 'LIKELY_TO_FAIL';

export async function nextSweepStep(
  chain: Chain,
  {
    accountNumber,
    tokenId,
    minimum,
  }: {
    readonly accountNumber: number;
    readonly tokenId: TokenId;
    /** In the chain's parts: smaller balances are left where they are. */
    readonly minimum: bigint;
  },
): Promise<SweepStep> {
  const from: Wallet = { kind: 'deposit', accountNumber };
  // Networks with a memo have one address for everyone.
  if (chain.addressOf(from) === chain.addressOf(HOT)) {
    return { kind: 'nothing', reason: 'ALREADY_THERE' };
  }
  const balance = await chain.balanceOf(from, tokenId);
  if (balance === 0n || balance < minimum) return { kind: 'nothing', reason: 'BELOW_MINIMUM' };
  const draft = { from, to: chain.addressOf(HOT), tokenId, amount: balance };
  return tokenId === undefined ? sweepCoin(chain, draft) : sweepToken(chain, draft);
}

async function sweepCoin(chain: Chain, whole: PaymentDraft): Promise<SweepStep> {
  // Estimated with the smallest amount: with the whole balance nothing would be left for the fee.
  const { fee } = await chain.estimateFee({ ...whole, amount: 1n });
  const amount = whole.amount - costMax(fee);
  if (amount <= costMax(fee)) return { kind: 'nothing', reason: 'COSTS_MORE_THAN_IT_BRINGS' };
  return { kind: 'sweep', draft: { ...whole, amount }, fee };
}

async function sweepToken(chain: Chain, draft: PaymentDraft): Promise<SweepStep> {
  const { fee, isLikelyToFail } = await chain.estimateFee(draft);
  const coin = await chain.balanceOf(draft.from, undefined);
  if (coin < costMax(fee)) return topUp(chain, draft.from, costMax(fee), coin);
  // A top-up would not help: the token itself refuses.
  if (isLikelyToFail) return { kind: 'nothing', reason: 'LIKELY_TO_FAIL' };
  return { kind: 'sweep', draft, fee };
}

async function topUp(chain: Chain, to: Wallet, needed: bigint, there: bigint): Promise<SweepStep> {
  // Half as much again, so that a rising price does not require a second top-up.
  const amount = (needed * 3n) / 2n - there;
  const draft: PaymentDraft = {
    from: HOT,
    to: chain.addressOf(to),
    tokenId: undefined,
    amount,
    isTopUp: true,
  };
  const { fee } = await chain.estimateFee(draft);
  return { kind: 'top-up', draft, fee };
}
