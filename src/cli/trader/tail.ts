import { defineCommand } from 'citty';
import { RialtoStream, type StreamMessage } from '../../client/index.ts';
import { refuseUnknown, wholeNumber } from '../options.ts';
import { JSON_ARG } from '../printing.ts';
import { orExplain } from '../run.ts';
import { credentialOf, TRADER_ARGS } from './credential.ts';
import { untilStopped } from './live.ts';

const ARGS = {
  ...JSON_ARG,
  ...TRADER_ARGS,
  market: { type: 'string', description: 'also the trades of this market' },
  count: { type: 'string', default: '0', description: 'end after so many events' },
} as const;

/** The account's events, as they happen. */
const CHANNELS = ['order:all', 'balance:all', 'position:all', 'wallet:all'];

export const tail = defineCommand({
  meta: { name: 'tail', description: 'What happens to the account, as it happens' },
  args: ARGS,
  run: ({ args }) =>
    orExplain(async () => {
      refuseUnknown(args, ARGS);
      const { market } = args;
      const channels = market === undefined ? CHANNELS : [...CHANNELS, `trade:${market}`];
      const credential = credentialOf(args);
      await untilStopped(wholeNumber('--count', args.count, 999_999_999), (onPrinted, onError) => {
        const stream = new RialtoStream({ ...credential, onTrouble: onError });
        for (const channel of channels) {
          stream.subscribe(channel, (message) => {
            for (const line of args.json ? [JSON.stringify(message)] : eventLines(message)) {
              console.log(line);
              onPrinted();
            }
          });
        }
        return () => stream.close();
      });
    }),
});

type Element = Readonly<Record<string, unknown>>;

/** One line per element of a message. */
export function eventLines({ table, data }: StreamMessage): string[] {
  const elements = (Array.isArray(data) ? data : [data]) as Element[];
  return elements.map((one) => {
    const shown = Object.entries(one)
      .filter(([name, value]) => SHOWN.has(name) && value !== null && value !== '')
      .map(([name, value]) => `${name}=${value}`);
    return `${timeOf(one)} ${String(table).padEnd(8)} ${shown.join(' ')}`;
  });
}

/** The members that say what happened; --json has all. */
const SHOWN = new Set([
  ...['notice', 'status', 'side', 'quantity', 'marketCode', 'price', 'matchPrice', 'matchQuantity'],
  ...[
    'orderId',
    'orderType',
    'stopPrice',
    'label',
    'instrumentId',
    'asset',
    'total',
    'available',
    'reserved',
    'position',
  ],
  ...['entryPrice', 'positionPnl', 'id', 'network', 'txId', 'fees', 'message'],
]);

const timeOf = ({ timestamp }: Element): string => {
  const ms = Number(timestamp);
  return Number.isFinite(ms) && ms > 0 ? new Date(ms).toISOString().slice(11, 23) : '-'.padEnd(12);
};
