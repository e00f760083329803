import { likely } from '../../domain/likely.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex, AssetIndex, MarketIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import { CANDLE_SECONDS } from '../../wire/stream.ts';
import { namedAsset, namedMarket } from '../request/names.ts';

/** The subject of a channel, by indexes: the hub sends it to the thread that builds the messages. */
export type ChannelSpec =
  | { readonly kind: BookKind | 'trade'; readonly market: MarketIndex }
  | { readonly kind: 'ticker' | 'market'; readonly market?: MarketIndex }
  | { readonly kind: 'candles'; readonly seconds: number; readonly market: MarketIndex }
  | { readonly kind: 'liquidationRFQ' }
  | { readonly kind: 'balance'; readonly account: AccountIndex; readonly asset?: AssetIndex }
  | { readonly kind: 'position'; readonly account: AccountIndex; readonly market?: MarketIndex }
  | { readonly kind: 'order' | 'account' | 'wallet'; readonly account: AccountIndex };

const BOOK_KINDS = [
  'depth',
  'depthL5',
  'depthL10',
  'depthL25',
  'depthUpdate',
  'bestBidAsk',
] as const;
export type BookKind = (typeof BOOK_KINDS)[number];

const PRIVATE_KINDS = ['balance', 'position', 'order', 'account', 'wallet'] as const;
type PrivateKind = (typeof PRIVATE_KINDS)[number];

const KINDS: readonly string[] = [
  ...[...BOOK_KINDS, ...PRIVATE_KINDS, 'trade', 'ticker', 'market', 'liquidationRFQ'],
  ...CANDLE_SECONDS.map((seconds) => `candles${seconds}s`),
];

/** Equal for channels with the same messages. */
export const keyOf = (spec: ChannelSpec): string => JSON.stringify(spec);

/** The canonical name of a channel, where clients may use several. */
export function nameOf(directory: Directory, spec: ChannelSpec): string {
  if (spec.kind === 'liquidationRFQ') return spec.kind;
  const kind = spec.kind === 'candles' ? `candles${spec.seconds}s` : spec.kind;
  if ('asset' in spec) return `${kind}:${directory.asset(spec.asset).code}`;
  if ('market' in spec) return `${kind}:${directory.market(spec.market).code}`;
  return `${kind}:all`;
}

/** A channel as a client names it: "depth:BTC-USD-SWAP-LIN", "balance:all". */
export function readChannel(
  directory: Directory,
  name: string,
  account: AccountIndex | undefined,
): ChannelSpec | Refusal {
  const at = name.indexOf(':');
  const kind = at < 0 ? name : name.slice(0, at);
  const about = at < 0 ? '' : name.slice(at + 1);
  if (isPrivate(kind)) {
    if (account === undefined) return refuse('PERMISSION_MISSING', 'log in first');
    return privateChannel(directory, kind, about, account);
  }
  if (kind === 'liquidationRFQ') return { kind };
  if (kind === 'ticker' || kind === 'market') {
    const market = about === 'all' ? undefined : marketOf(directory, about);
    if (typeof market === 'object') return market;
    return market === undefined ? { kind } : { kind, market };
  }
  const isBook = (BOOK_KINDS as readonly string[]).includes(kind);
  const seconds = secondsOf(kind);
  if (!isBook && kind !== 'trade' && seconds === undefined) {
    return refuse('PARAMETER_INVALID', `there is no channel ${likely(kind, KINDS)}`);
  }
  const market = marketOf(directory, about);
  if (typeof market === 'object') return market;
  if (seconds !== undefined) return { kind: 'candles', seconds, market };
  return { kind: kind as BookKind | 'trade', market };
}

const isPrivate = (kind: string): kind is PrivateKind =>
  (PRIVATE_KINDS as readonly string[]).includes(kind);

function secondsOf(kind: string): number | undefined {
  const digits = /^candles(\d{1,6})s$/.exec(kind)?.[1];
  return CANDLE_SECONDS.find((seconds) => String(seconds) === digits);
}

function marketOf(directory: Directory, code: string): MarketIndex | Refusal {
  return code === ''
    ? refuse('MARKET_UNKNOWN', 'the channel names no market, as depth:BTC-USDT does')
    : namedMarket(directory, code);
}

/** Updates of orders go to every listener of the account, whichever market it names. */
function privateChannel(
  directory: Directory,
  kind: PrivateKind,
  about: string,
  account: AccountIndex,
): ChannelSpec | Refusal {
  const isAll = about === 'all' || about === '';
  switch (kind) {
    case 'balance': {
      if (isAll) return { kind, account };
      const asset = namedAsset(directory, about);
      return typeof asset === 'object' ? asset : { kind, account, asset };
    }
    case 'position': {
      const market = isAll ? undefined : marketOf(directory, about);
      if (typeof market === 'object') return market;
      return market === undefined ? { kind, account } : { kind, account, market };
    }
    case 'order': {
      // ccxt asks for "order::undefined".
      const market = isAll || about.startsWith(':') ? undefined : marketOf(directory, about);
      return typeof market === 'object' ? market : { kind, account };
    }
    case 'account':
    case 'wallet':
      return isAll ? { kind, account } : refuse('PARAMETER_INVALID', `nearest ${kind}:all`);
  }
}
