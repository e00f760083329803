import { endedWords, inWords } from '../shared/ended-words.ts';
import {
  fundingText,
  isNegative,
  NONE,
  nativeText,
  padded,
  plain,
  signed,
  timeText,
} from '../shared/number-text.ts';
import { usePaced, useQuery } from '../shared/query.ts';
import { clientOf, type Session } from '../shared/session.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { windowStart } from '../shared/venue-clock.ts';
import { live, marketOf, markets } from './feed.ts';

/** The newest rows of each history; the History page has all of it. */

type Props = { readonly session: Session; readonly marketCode: string | undefined };
const LIMIT = '50';
/** A program may trade, and end orders, a hundred times a second. */
const PACE_MS = 1_000;

const pageQuery = (marketCode: string | undefined) => ({
  ...(marketCode === undefined ? {} : { marketCode }),
  ...{ limit: LIMIT, startTime: windowStart() },
});

/** In the chosen time zone; ISO format on hover. */
function Time({ ms = '0' }: { readonly ms: string | undefined }) {
  const zone = useStore(settings, (all) => all.zone);
  return (
    <span className="t2" title={new Date(Number(ms)).toISOString()}>
      {timeText(Number(ms), zone)}
    </span>
  );
}

/** The names of markets, and prices and sizes with the decimals of their tick and lot. */
const useTerms = () => {
  const all = useStore(markets, (list) => list);
  return {
    name: (code: string): string => marketOf(all, code)?.name ?? code,
    price: (code: string, text: string): string => padded(text, marketOf(all, code)?.tickSize),
    size: (code: string, text: string): string => padded(text, marketOf(all, code)?.minSize),
  };
};

const Side = ({ side }: { readonly side: string }) => (
  <span className={side === 'BUY' ? 'buy' : 'sell'}>{side === 'BUY' ? 'Buy' : 'Sell'}</span>
);

export function OwnTrades({ session, marketCode }: Props) {
  const { name, price, size } = useTerms();
  const newest = usePaced(
    useStore(live, ({ fills }) => fills[0]?.matchId ?? ''),
    PACE_MS,
  );
  const { data, failure } = useQuery(
    () => clientOf(session).trades(pageQuery(marketCode)),
    `${session.accessKey} ${marketCode} ${newest}`,
  );
  type Row = NonNullable<typeof data>[number];
  const columns: readonly Column<Row>[] = [
    { name: 'Time', show: ({ matchedAt }) => <Time ms={matchedAt} /> },
    { name: 'Market', show: (row) => name(row.marketCode) },
    { name: 'Side', show: ({ side }) => <Side side={side} /> },
    { name: 'Price', isRight: true, show: (row) => price(row.marketCode, row.matchPrice) },
    { name: 'Size', isRight: true, show: (row) => size(row.marketCode, row.matchedQuantity) },
    { name: 'Fee', isRight: true, show: ({ fee, feeAsset }) => `${plain(fee)} ${feeAsset}` },
    { name: 'As', show: ({ orderMatchType }) => inWords(orderMatchType) },
  ];
  return (
    <Table
      label="Trades"
      {...{ columns, failure }}
      rows={data}
      keyOf={({ id }) => id}
      empty={
        <>
          <b>No trade in the last 7 days</b>
          <span>What your orders trade will be here; older trades are on the History page.</span>
        </>
      }
    />
  );
}

export function FundingPaid({ session, marketCode }: Props) {
  const { name, size } = useTerms();
  const { data, failure } = useQuery(
    () => clientOf(session).funding(pageQuery(marketCode)),
    `${session.accessKey} ${marketCode}`,
    60_000,
  );
  type Row = NonNullable<typeof data>[number];
  const columns: readonly Column<Row>[] = [
    { name: 'Time', show: ({ createdAt }) => <Time ms={createdAt} /> },
    { name: 'Market', show: (row) => name(row.marketCode) },
    {
      name: 'Payment OX',
      isRight: true,
      show: ({ payment }) => (
        <span className={isNegative(payment) ? 'sell' : 'buy'} title={payment}>
          {signed(payment, nativeText)}
        </span>
      ),
    },
    {
      name: 'Rate',
      isRight: true,
      show: ({ fundingRate }) => <span title={fundingRate}>{fundingText(fundingRate)}</span>,
    },
    { name: 'Position', isRight: true, show: (row) => size(row.marketCode, row.position) },
  ];
  return (
    <Table
      label="Funding"
      {...{ columns, failure }}
      rows={data}
      keyOf={({ id }) => id}
      empty={
        <>
          <b>No funding in the last 7 days</b>
          <span>Positions of perpetual markets pay or get it each hour.</span>
        </>
      }
    />
  );
}

export function ClosedOrders({ session, marketCode }: Props) {
  const { name, price, size } = useTerms();
  const endings = usePaced(
    useStore(live, (state) => state.endings),
    PACE_MS,
  );
  const { data, failure } = useQuery(
    () => clientOf(session).closedOrders(pageQuery(marketCode)),
    `${session.accessKey} ${marketCode} ${endings}`,
  );
  type Row = NonNullable<typeof data>[number];
  const columns: readonly Column<Row>[] = [
    { name: 'Closed', show: ({ closedAt }) => <Time ms={closedAt} /> },
    { name: 'Market', show: (row) => name(row.marketCode) },
    { name: 'Side', show: ({ side }) => <Side side={side} /> },
    { name: 'Type', show: ({ orderType }) => inWords(orderType) },
    {
      name: 'Price',
      isRight: true,
      show: (row) => (row.price === undefined ? NONE : price(row.marketCode, row.price)),
    },
    { name: 'Size', isRight: true, show: (row) => size(row.marketCode, row.totalQuantity) },
    {
      name: 'Filled',
      isRight: true,
      show: (row) => size(row.marketCode, row.cumulativeMatchedQuantity),
    },
    {
      name: 'How',
      show: ({ closeStatus, message }) => (
        <>
          {endedWords(closeStatus)}
          {message === undefined ? null : (
            <span className="sub" title={message}>
              {message}
            </span>
          )}
        </>
      ),
    },
  ];
  return (
    <Table
      label="Closed orders"
      {...{ columns, failure }}
      rows={data}
      keyOf={({ id }) => id}
      empty={
        <>
          <b>No order was closed in the last 7 days</b>
          <span>
            What is filled or cancelled will be here; older orders are on the History page.
          </span>
        </>
      }
    />
  );
}
