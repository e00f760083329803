import type { ReplyOf, RequestOf } from '../../wire/endpoint.ts';
import type { getCandles } from '../../wire/market-data.ts';
import { oneOf, wholeNumber } from '../options.ts';
import { tableText, timeCell } from '../table.ts';
import { traderCommand } from './credential.ts';
import { plotText } from './plot.ts';

/** As people write it, and as the interface does. */
const FRAMES = {
  '1m': '60s',
  '5m': '300s',
  '15m': '900s',
  '30m': '1800s',
  '1h': '3600s',
  '2h': '7200s',
  '4h': '14400s',
  '1d': '86400s',
} as const;
const FRAME_NAMES = Object.keys(FRAMES) as (keyof typeof FRAMES)[];
const CANDLES_MAX = 500;

type Candle = ReplyOf<typeof getCandles>[number];

export const candles = traderCommand({
  name: 'candles',
  description: 'Candles of a market, as a table or drawn in the terminal',
  args: {
    market: { type: 'positional', required: true, description: 'code of the market' },
    frame: { type: 'string', default: '1h', description: FRAME_NAMES.join('|') },
    limit: { type: 'string', default: '48', description: `how many, up to ${CANDLES_MAX}` },
    plot: { type: 'boolean', default: false, description: 'draw them' },
  },
  run: (client, { market: marketCode, frame, limit }) =>
    client.candles({
      marketCode,
      timeframe: FRAMES[oneOf('--frame', FRAME_NAMES, frame)],
      limit: String(wholeNumber('--limit', limit, CANDLES_MAX)),
    } as RequestOf<typeof getCandles>),
  text: (all, { plot, market, frame }) => {
    if (all.length === 0) return 'no candles';
    if (!plot) return tableText(all, COLUMNS);
    return `${market} ${frame}\n${plotText(all.toReversed(), sizeOf(process.stdout))}`;
  },
});

const sizeOf = ({ columns, rows }: NodeJS.WriteStream) => ({
  columns: columns ?? 80,
  rows: Math.max(8, Math.min(24, (rows ?? 24) - 6)),
});

const COLUMNS: Readonly<Record<string, (one: Candle) => string>> = {
  'opened (UTC)': ({ openedAt }) => timeCell(openedAt),
  open: ({ open }) => open,
  high: ({ high }) => high,
  low: ({ low }) => low,
  close: ({ close }) => close,
  volume: ({ currencyVolume }) => currencyVolume,
};
