import { BATCH_MAX, BOOK_LEVELS, CANDLE_SECONDS } from '../stream.ts';
import { meaningOf } from './meanings.ts';

/** A part of the stream as shown in the documentation; its messages are recorded under the same name. */
export type StreamSubject = {
  readonly name: string;
  readonly title: string;
  readonly words: string;
  readonly isPrivate: boolean;
};

const shown = (name: string, title: string, words: string, isPrivate = false): StreamSubject => ({
  ...{ name, title, words, isPrivate },
});

export const STREAM_SUBJECTS: readonly StreamSubject[] = [
  shown(
    'login',
    'Welcome and login',
    'The venue greets first. A login signs the timestamp followed by GET/auth/self/verify with the secret of a REST key. With "cancelOnDisconnect": true in data, all open orders are cancelled when the connection ends.',
  ),
  shown(
    'refused',
    'A refusal',
    'Whatever is refused is answered with success false, a code of the catalogue and the reason; the connection stays.',
  ),
  shown(
    'commands',
    'Order commands',
    `placeorder, modifyorder and cancelorder take one element in data; placeorders, modifyorders and cancelorders up to ${BATCH_MAX} in dataArray, each answered by itself. submitted true means taken and on disk. A requestId beside op makes a command take effect at most once.`,
    true,
  ),
  shown(
    'resume',
    'Numbered messages and resuming',
    'With "seq": true every message of the channel is numbered without a gap. After a lost connection subscribe with fromSeq: what was missed follows, or a new beginning marked snapshot.',
    true,
  ),
  shown(
    'depth',
    'depth:M',
    `The whole book, up to ${BOOK_LEVELS} levels a side, at most every 100 ms when it changes.`,
  ),
  shown(
    'depthL5',
    'depthL5:M, depthL10:M, depthL25:M',
    'The best levels of either side, at most every 100 ms, without a checksum.',
  ),
  shown(
    'depthUpdate',
    'depthUpdate:M',
    'A snapshot, then every 100 ms what has changed: levels with their new quantity, 0 removes one. The first diff has the seqNum of the snapshot.',
  ),
  shown('bestBidAsk', 'bestBidAsk:M', 'The best level of either side, when it changes.'),
  shown('trade', 'trade:M', "Every match; the side is the taker's."),
  shown(
    'ticker',
    'ticker:M, ticker:all',
    'Last, mark and index price and the figures of 24 hours, at most every 500 ms.',
  ),
  shown(
    'candles60s',
    'candles60s:M',
    `The candle that runs now, at most every 500 ms; also ${CANDLE_SECONDS.slice(1).join(', ')} seconds.`,
  ),
  shown(
    'market',
    'market:M, market:all',
    'Reference data, price bounds and state, at most once a second.',
  ),
  shown('liquidationRFQ', 'liquidationRFQ', 'Markets in which a liquidation is about to begin.'),
  shown(
    'balance',
    'balance:all, balance:ASSET',
    'All assets first, then those that have changed.',
    true,
  ),
  shown(
    'position',
    'position:all, position:M',
    'All positions first, then those that have changed; unrealised PnL once a second. A closed one comes once more with quantity 0.',
    true,
  ),
  shown(
    'order',
    'order:all, order:M',
    'Everything that happens to orders of the account, in all markets: one message a match.',
    true,
  ),
  shown(
    'account',
    'account:all',
    'Extension: collateral, margins, ratio, liquidation prices and what each asset is worth, at most every 500 ms.',
    true,
  ),
  shown(
    'wallet',
    'wallet:all',
    'Extension: deposits and withdrawals whenever their status changes.',
    true,
  ),
];

const WORDS: Readonly<Record<string, string>> = {
  event: 'which message this answers: Welcome, login, subscribe, placeorder, ...',
  nonce: 'of this connection',
  timestamp: "the venue's clock when it was sent, milliseconds",
  success: 'whether it was done',
  tag: 'yours, repeated: up to 32 characters',
  channel: 'the channel it is about',
  code: 'of the catalogue of refusals',
  table: 'which kind of message this is: the channel without its market',
  data: 'what it is about',
  action: 'partial: replaces what was known; increment: changes it',
  seqNum: 'grows with every change of the book, over restarts too',
  checksum: 'CRC-32 of the printed asks followed by the printed bids',
  ask: '[price, quantity] of the best offer; [0.0, 0.0] where there is none',
  bid: '[price, quantity] of the best bid; [0.0, 0.0] where there is none',
  last: 'price of the last match',
  lastQty: 'quantity of the last match',
  lastMarkPrice: 'the mark price once more',
  candle: 'open time, open, high, low, close, volume, volume in the base asset',
  marketId: 'the market, by its number',
  exclusive: 'always false',
  qtyIncrement: 'the lot: quantities are multiples of it',
  marginCurrency: 'what margin is counted in',
  contractValCurrency: 'what the contract is about',
  marketPrice: 'the mark price',
  marketPriceLastUpdated: 'when it last changed',
  tradeType: 'the type of the account',
  instrumentId: 'the asset, or the market',
  quantityLastUpdated: 'when it last changed',
  locked: 'always 0',
  margin: 'always 0: margin is of the whole account',
  leverage: 'always 0: leverage is of the whole account',
  tradeId: 'the match',
  initialMargin: 'what positions and open orders need, in OX',
  seq: 'number of the message in its channel',
  snapshot: 'true: forget what you knew, this is everything',
  resumed: 'whether what was missed follows; otherwise a new beginning does',
  missed: 'how many messages do not follow; absent where that is not known',
  type: 'DEPOSIT or WITHDRAWAL; of a market SPOT or FUTURE',
  status: 'where it stands now',
  fees: 'what the match cost',
};

export const streamMeaningOf = (member: string): string | undefined =>
  WORDS[member] ?? meaningOf('the stream', member);

export type StreamMember = { readonly name: string; readonly type: string };

/** The members of messages, in the order in which they appear. */
export function membersOfMessages(messages: readonly object[]): StreamMember[] {
  const typeByName = new Map<string, string>();
  for (const message of messages) collect(message, '', typeByName);
  return [...typeByName].map(([name, type]) => ({ name, type }));
}

function collect(value: unknown, path: string, types: Map<string, string>): void {
  if (Array.isArray(value)) {
    for (const one of value) if (!Array.isArray(one)) collect(one, `${path}[]`, types);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [member, of] of Object.entries(value)) {
    const name = path === '' ? member : `${path}.${member}`;
    if (!types.has(name)) types.set(name, typeOf(of));
    collect(of, name, types);
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return value === null ? 'null' : typeof value;
}
