import { textFromParts } from '../../domain/decimal.ts';
import type { NetworkAsset, NetworkSpec } from '../../domain/market.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import type { Destination } from '../../domain/wallet.ts';
import type { Way } from '../memory/wallet.ts';
import type { Asset, State } from '../state.ts';
import { checkDestination } from './addresses.ts';

/** The network and the cost of a withdrawal: for the request, and for estimates. */

/** For this long, a caller who was shown a fee pays no more than that. */
const ESTIMATE_MS = 60_000;

/** What is to be sent, as the caller specified it. */
export type Sending = Destination & {
  readonly asset: AssetIndex;
  readonly quantity: Amount;
  readonly externalFee: boolean;
};
export type OpenWay = {
  readonly asset: Asset;
  readonly network: NetworkSpec;
  readonly terms: NetworkAsset;
  readonly way: Way;
};
export type Costs = { readonly fee: Amount; readonly burnFee: Amount; readonly debited: Amount };

export function wayOut(state: State, sending: Sending): OpenWay | Refusal {
  const asset = state.assets[sending.asset];
  if (asset === undefined) return refuse('ASSET_UNKNOWN');
  const network = state.networks[sending.network];
  if (network === undefined) return refuse('PARAMETER_INVALID', 'network is unknown');
  const terms = network.assets.find((one) => one.asset === asset.spec.code);
  const ways = state.wallet.networks[sending.network]?.ways ?? [];
  const way = ways.find((one) => one.asset === sending.asset);
  if (terms === undefined || way === undefined || !way.canWithdraw) {
    return refuse('WITHDRAWAL_SUSPENDED', `${asset.spec.code} does not leave by ${network.name}`);
  }
  return { asset, network, terms, way };
}

export function costsOf(
  { terms, way }: Pick<OpenWay, 'terms' | 'way'>,
  { quantity, externalFee }: Pick<Sending, 'quantity' | 'externalFee'>,
  nowMs: number,
): Costs {
  const fee = terms.isFeeFree === true ? amount(0n) : feeNow(way, nowMs);
  const burnFee = amount(terms.burnFee ?? 0n);
  const debited = externalFee ? quantity + fee + burnFee : quantity;
  // Larger than any balance: the balance check refuses it.
  return { fee, burnFee, debited: amount(debited < AMOUNT_LIMIT ? debited : AMOUNT_LIMIT) };
}

/** The lower of the current fee and the one that was shown within the last minute. */
function feeNow({ fee, feeBefore, feeSetAtMs }: Way, nowMs: number): Amount {
  return nowMs < feeSetAtMs + ESTIMATE_MS && feeBefore < fee ? feeBefore : fee;
}

export function checkQuantity(
  { asset, terms }: Pick<OpenWay, 'asset' | 'terms'>,
  { quantity, externalFee }: Pick<Sending, 'quantity' | 'externalFee'>,
  { fee, burnFee }: Costs,
): Refusal | undefined {
  const { code, scale } = asset.spec;
  const text = (parts: bigint): string => `${textFromParts(parts, scale)} ${code}`;
  const precision = terms.transactionPrecision;
  if (precision < scale && quantity % 10n ** BigInt(scale - precision) !== 0n) {
    const step = 10n ** BigInt(scale - precision);
    const nearest = text((quantity / step) * step);
    return refuse(
      'TOO_MANY_DECIMALS',
      `${text(quantity)} has more than ${precision} decimals; nearest ${nearest}`,
    );
  }
  if (quantity < terms.minWithdrawal || quantity <= 0n) {
    return refuse(
      'WITHDRAWAL_BELOW_MINIMUM',
      `${text(quantity)} asked, at least ${text(terms.minWithdrawal)}`,
    );
  }
  if (!externalFee && quantity <= fee + burnFee) {
    return refuse(
      'WITHDRAWAL_FEE_NOT_COVERED',
      `${text(quantity)} asked, ${text(fee + burnFee)} due`,
    );
  }
  return undefined;
}

/** What sending it would cost now, or why it would be refused for any caller. */
export function estimateCosts(state: State, sending: Sending): Costs | Refusal {
  const open = wayOut(state, sending);
  if (isRefusal(open)) return open;
  const costs = costsOf(open, sending, state.timeMs);
  const { address, memo } = sending;
  return (
    checkDestination(open.network, address, memo) ?? checkQuantity(open, sending, costs) ?? costs
  );
}
