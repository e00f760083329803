import type { ReactNode } from 'react';
import { endedWords, inWords } from '../../shared/ended-words.ts';
import {
  fundingText,
  isNegative,
  padded,
  plain,
  signed,
  type TimeZone,
  timeText,
} from '../../shared/number-text.ts';
import { marketOf, markets } from '../../trade/feed.ts';
import { shortened } from '../wallet/places.tsx';
import type { Row, Shown } from './kinds.ts';

/** How a member of a row is shown; the full value is in the title. */

const DECIMALS_MAX = 9;

const RIGHT: readonly Shown['cell'][] = ['number', 'signed', 'price', 'size', 'rate'];

export const isRightOf = ({ cell }: Shown): boolean => RIGHT.includes(cell);

export function cellOf(
  { name, cell }: Shown,
  row: Row,
  with_: { readonly zone: TimeZone; readonly marketName: (code: string) => string },
): ReactNode {
  const value = row[name];
  if (value === undefined || value === null || value === '') return <span className="t3">—</span>;
  const text = String(value);
  switch (cell) {
    case 'time':
      return (
        <time className="t2" dateTime={new Date(Number(text)).toISOString()} title={isoOf(text)}>
          {timeText(Number(text), with_.zone)}
        </time>
      );
    case 'market':
      return <span title={text}>{with_.marketName(text)}</span>;
    case 'side':
      return (
        <span className={text === 'BUY' ? 'buy' : 'sell'}>{text === 'BUY' ? 'Buy' : 'Sell'}</span>
      );
    case 'price':
    case 'size':
      return <span title={text}>{padded(text, stepFor(cell, row))}</span>;
    case 'rate':
      return <span title={text}>{fundingText(text)}</span>;
    case 'number':
      return <span title={text}>{plain(text, DECIMALS_MAX)}</span>;
    case 'signed':
      return (
        <span className={isNegative(text) ? 'sell' : 'buy'} title={text}>
          {signed(text, (one) => plain(one, DECIMALS_MAX))}
        </span>
      );
    case 'status':
      return <Ended status={text} why={row['message']} />;
    case 'name':
      return text;
    case 'code':
      return <code title={text}>{shortened(text)}</code>;
    default:
      return inWords(text);
  }
}

function stepFor(cell: 'price' | 'size', row: Row): string | undefined {
  const market = marketOf(markets.get(), String(row['marketCode'] ?? ''));
  return cell === 'price' ? market?.tickSize : market?.minSize;
}

const isoOf = (ms: string): string => new Date(Number(ms)).toISOString();

const CHIP_BY_STATUS: Readonly<Record<string, string>> = {
  FILLED: 'good',
  COMPLETED: 'good',
  'ON HOLD': 'warn',
  FAILED: 'bad',
  STARTED: 'bad',
};

const Ended = ({ status, why }: { readonly status: string; readonly why: unknown }) => {
  const reason = typeof why === 'string' && why !== '' ? why : undefined;
  return (
    <span title={reason === undefined ? status : `${status}: ${reason}`}>
      <span className={`chip ${CHIP_BY_STATUS[status] ?? ''}`}>{endedWords(status)}</span>
      {reason === undefined ? null : <span className="t2"> {reason}</span>}
    </span>
  );
};
