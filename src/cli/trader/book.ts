import { defineCommand } from 'citty';
import { RialtoClient, RialtoStream } from '../../client/index.ts';
import { refuseUnknown, wholeNumber } from '../options.ts';
import { JSON_ARG } from '../printing.ts';
import { orExplain } from '../run.ts';
import { jsonText } from '../table.ts';
import { credentialOf, TRADER_ARGS } from './credential.ts';
import { screenOf, untilStopped } from './live.ts';

type Level = readonly [price: number, quantity: number];
export type Book = {
  readonly marketCode: string;
  readonly asks: readonly Level[];
  readonly bids: readonly Level[];
};

const LEVELS_MAX = 25;
const ARGS = {
  ...JSON_ARG,
  ...TRADER_ARGS,
  market: { type: 'positional', required: true, description: 'code of the market' },
  levels: { type: 'string', default: '10', description: `levels a side, up to ${LEVELS_MAX}` },
  watch: { type: 'boolean', default: false, description: 'go on until Ctrl-C' },
  count: { type: 'string', default: '0', description: 'with --watch: end after so many books' },
} as const;

export const book = defineCommand({
  meta: { name: 'book', description: 'The order book of a market' },
  args: ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ARGS);
      const levels = wholeNumber('--levels', args.levels, LEVELS_MAX);
      const credential = credentialOf(args);
      const { market: marketCode, json } = args;
      if (!args.watch) {
        const client = new RialtoClient(credential);
        const found = await client.depth({ marketCode, level: String(levels) });
        console.log(json ? jsonText(found) : bookText(found, levels));
        return;
      }
      const screen = screenOf(process.stdout);
      await untilStopped(wholeNumber('--count', args.count, 999_999_999), (onPrinted, onError) => {
        const stream = new RialtoStream({ ...credential, onTrouble: onError });
        stream.subscribe(`depthL25:${marketCode}`, ({ data }) => {
          const found = (Array.isArray(data) ? data[0] : data) as Book;
          if (json) console.log(JSON.stringify(found));
          else screen(bookText({ ...found, marketCode }, levels));
          onPrinted();
        });
        return () => stream.close();
      });
    }),
});

/** Asks above, bids below, the best in the middle; each with the cumulative quantity. */
export function bookText({ marketCode, asks, bids }: Book, levels: number): string {
  const rows = [
    ...cumulated(asks.slice(0, levels)).reverse(),
    ['', spreadText(asks[0], bids[0]), ''],
    ...cumulated(bids.slice(0, levels)),
  ];
  const heads = ['price', 'quantity', 'in all'];
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => (row[0] === '' ? 0 : (row[at] ?? '').length))),
  );
  const line = (row: readonly string[]): string =>
    row[0] === ''
      ? `  ${row[1]}`
      : row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ');
  return [marketCode, line(heads), ...rows.map(line)].join('\n');
}

function cumulated(levels: readonly Level[]): string[][] {
  let sum = 0;
  return levels.map(([price, quantity]) => {
    sum += quantity;
    return [String(price), String(quantity), String(Number(sum.toPrecision(12)))];
  });
}

function spreadText(ask: Level | undefined, bid: Level | undefined): string {
  if (ask === undefined || bid === undefined) return '- one side is empty -';
  const spread = ask[0] - bid[0];
  const points = ((20_000 * spread) / (ask[0] + bid[0])).toFixed(1);
  return `- spread ${Number(spread.toPrecision(9))} (${points} bp) -`;
}
