import { useId, useState } from 'react';
import { useAsk } from '../shared/ask.ts';
import { csvText, withIsoTimes } from '../shared/csv.ts';
import { reasonText, say } from '../shared/messages.tsx';
import { plain, timeText } from '../shared/number-text.ts';
import { saveFile } from '../shared/save-file.ts';
import { clientOf, type Session } from '../shared/session.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { Panel } from './panel.tsx';

type Row = Readonly<Record<string, unknown>>;
type Kind = 'trades' | 'orders' | 'funding' | 'wallet' | 'liquidations';
const KINDS = [
  { name: 'trades', label: 'Trades' },
  { name: 'orders', label: 'Closed orders' },
  { name: 'funding', label: 'Funding' },
  { name: 'wallet', label: 'Wallet' },
  { name: 'liquidations', label: 'Liquidations' },
] as const;
const SHOWN: Readonly<Record<Kind, readonly string[]>> = {
  trades: ['matchedAt', 'marketCode', 'side', 'matchPrice', 'matchedQuantity', 'fee', 'feeAsset'],
  orders: ['closedAt', 'marketCode', 'side', 'orderType', 'price', 'totalQuantity', 'closeStatus'],
  funding: ['createdAt', 'marketCode', 'payment', 'fundingRate', 'position'],
  wallet: ['createdAt', 'type', 'asset', 'amount'],
  liquidations: ['createdAt', 'event', 'phase', 'marketCode', 'position', 'fee'],
};
const PAGE = 100;
/** A file of at most so many rows: beyond it a program with a key does better. */
const SAVED_MAX = 20_000;

async function read(session: Session, kind: Kind, beforeId?: string): Promise<readonly Row[]> {
  const client = clientOf(session);
  const asked = { limit: String(PAGE), ...(beforeId === undefined ? {} : { beforeId }) };
  switch (kind) {
    case 'trades':
      return client.trades(asked);
    case 'orders':
      return client.closedOrders(asked);
    case 'funding':
      return client.funding(asked);
    case 'liquidations':
      return client.liquidations(asked);
    case 'wallet':
      return (await client.wallet(asked))[0]?.walletHistory ?? [];
    default:
      return [];
  }
}

export function HistoryPage({ session }: { readonly session: Session }) {
  const [kind, setKind] = useState<Kind>('trades');
  const [before, setBefore] = useState<readonly string[]>([]);
  const zone = useStore(settings, (all) => all.zone);
  const panelId = useId();
  const beforeId = before.at(-1);
  const { data, failure } = useAsk(
    () => read(session, kind, beforeId),
    `${session.accessKey} ${kind} ${beforeId}`,
  );
  const rows = data ?? [];
  const columns: readonly Column<Row>[] = SHOWN[kind].map((name) => ({
    name: titleOf(name),
    isRight: isNumeric(rows[0]?.[name]) && !name.endsWith('At'),
    show: (row) => cellText(name, row[name], zone),
  }));
  const oldest = rows.at(-1)?.['id'];
  return (
    <Panel
      title="Everything that happened"
      beside={
        <button type="button" className="btn s" onClick={() => void save(session, kind)}>
          Save all as CSV
        </button>
      }
    >
      <div className="bar">
        <Tabs
          label="Histories"
          panelId={panelId}
          tabs={KINDS}
          chosen={kind}
          onChoose={(name) => {
            setKind(name);
            setBefore([]);
          }}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div className="scroll" id={panelId} role="tabpanel" aria-label={kind} tabIndex={0}>
        <Table
          label={kind}
          {...{ columns, rows, failure }}
          keyOf={(row) => String(row['id'])}
          empty={<b>Nothing here yet</b>}
        />
      </div>
      <div className="in2">
        <div className="acts2">
          <button
            type="button"
            className="btn s"
            disabled={before.length === 0}
            onClick={() => setBefore(before.slice(0, -1))}
          >
            Newer
          </button>
          <button
            type="button"
            className="btn s"
            disabled={rows.length < PAGE || oldest === undefined}
            onClick={() => setBefore([...before, String(oldest)])}
          >
            Older
          </button>
        </div>
      </div>
    </Panel>
  );
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);

const titleOf = (name: string): string => {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function cellText(name: string, value: unknown, zone: 'utc' | 'local'): string {
  if (value === undefined || value === null) return '—';
  if (name.endsWith('At')) return timeText(Number(value), zone);
  return isNumeric(value) ? plain(String(value), 9) : String(value);
}

/** Page after page until the end, or as many as one file should have. */
async function save(session: Session, kind: Kind): Promise<void> {
  try {
    const all: Row[] = [];
    let beforeId: string | undefined;
    while (all.length < SAVED_MAX) {
      const rows = await read(session, kind, beforeId);
      all.push(...rows);
      const oldest = rows.at(-1)?.['id'];
      if (rows.length < PAGE || oldest === undefined) break;
      beforeId = String(oldest);
    }
    const [first] = all;
    if (first === undefined) say('info', 'Nothing to save');
    else saveFile(`${kind}.csv`, csvText(Object.keys(first), all.map(withIsoTimes)));
  } catch (reason) {
    say('bad', 'Not saved', reasonText(reason));
  }
}
