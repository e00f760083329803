import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteWriter } from '../../src/bytes/pack.ts';
import { newState, type State } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import { view } from '../../src/core/views/views.ts';
import type { Command } from '../../src/domain/commands.ts';
import { encodeOutcome } from '../../src/domain/event-codec.ts';
import type {
  AccountIndex,
  FamilyIndex,
  MarketIndex,
  Sequence,
  TimeMs,
} from '../../src/domain/units.ts';
import type { AccountView } from '../../src/domain/views.ts';
import { type ExchangeTradeRow, openHistory } from '../../src/history/history.ts';
import { openProjector } from '../../src/history/projector.ts';

/**
 * A run that was recorded once: the commands, and the answers of the venue and its history. Whatever changes
 * in the code, replaying the same commands must give the same answers, field by field.
 */
export type TimedCommand = { readonly timeMs: number; readonly command: Command };

/** The visible state, at some points on the way and at the end. */
export type Answers = {
  readonly views: readonly { readonly sequence: number; readonly answers: unknown }[];
  readonly history: unknown;
};

const LOOKS = 5;
const STAMP = 'recorded';

export async function replayRecorded(commands: readonly TimedCommand[]): Promise<Answers> {
  const state = newState();
  const events = new ByteWriter();
  const outcome = new ByteWriter();
  const views: Answers['views'][number][] = [];
  const every = Math.ceil(commands.length / LOOKS);
  const folder = mkdtempSync(join(tmpdir(), 'rialto-recorded-'));
  const file = join(folder, 'history.db');
  const projector = await openProjector({ file, stamp: STAMP });
  try {
    const logged = function* () {
      for (const [index, { timeMs, command }] of commands.entries()) {
        const sequence = index + 1;
        events.clear();
        const stamped = { sequence: sequence as Sequence, timeMs: timeMs as TimeMs, command };
        apply(state, stamped, events);
        outcome.clear();
        encodeOutcome(outcome, timeMs, events.view());
        yield { sequence, bytes: outcome.view() };
        if (sequence % every === 0 || sequence === commands.length) {
          views.push({ sequence, answers: viewsOf(state) });
        }
      }
    };
    await projector.project(logged());
    return { views, history: await historyOf(file, state) };
  } finally {
    await projector.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const accountsOf = (state: State): AccountIndex[] =>
  state.accounts.flatMap((account, index) => (account === null ? [] : [index as AccountIndex]));

function viewsOf(state: State): unknown {
  const accounts = accountsOf(state);
  const markets = state.markets.map((_, index) => index as MarketIndex);
  return {
    accounts: view(state, 'accounts', { accounts }).map(accountAsRecorded),
    balances: view(state, 'balances', { accounts }),
    positions: view(state, 'positions', { accounts }),
    orders: accounts.map((account) => view(state, 'orders', { account })),
    depth: markets.map((market) => view(state, 'depth', { market, levels: 100 })),
    markets: view(state, 'markets', {}),
  };
}

/** Every row that can be queried. */
async function historyOf(file: string, state: State): Promise<unknown> {
  const history = await openHistory({ file, stamp: STAMP, after: () => () => {} });
  try {
    const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 1_000_000 };
    const orderIds = Array.from(
      { length: state.nextOrderId - FIRST_ORDER_ID },
      (_, index) => FIRST_ORDER_ID + index,
    );
    const ordersOf = async (account: AccountIndex) => {
      const found = await Promise.all(
        orderIds.map((orderId) => history.order({ account, orderId })),
      );
      return found.filter((order) => order !== undefined).map(asRecorded);
    };
    return {
      accounts: await Promise.all(
        accountsOf(state).map(async (account) => ({
          trades: (await history.trades({ ...all, account })).map(asRecorded),
          wallet: await history.walletEntries({ ...all, account }),
          funding: await history.fundingPayments({ ...all, account }),
          liquidations: (await history.liquidations({ ...all, account })).map(asRecorded),
          orders: await ordersOf(account),
        })),
      ),
      transfers: await Promise.all(
        state.families.map((_, family) =>
          history.transfers({ ...all, family: family as FamilyIndex }),
        ),
      ),
      exchangeTrades: (await history.exchangeTrades(all)).map(matchAsRecorded),
      fundingRates: await history.fundingRates(all),
    };
  } finally {
    await history.close();
  }
}

/** Without members that rows did not have when the run was recorded: no market changed its tick then. */
const asRecorded = <Row extends { readonly grid?: unknown }>({ grid: _, ...row }: Row) => row;

/** Nor did public matches have an id. */
const matchAsRecorded = ({ id: _, ...row }: ExchangeTradeRow) => asRecorded(row);

/** Nor did balances have a value. */
const accountAsRecorded = ({ balances, ...account }: AccountView) => ({
  ...account,
  balances: balances.map(({ value: _, collateralValue: __, ...balance }) => balance),
});

const FIRST_ORDER_ID = newState().nextOrderId;

/** JSON that preserves bigints and bytes. */
export const toText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return { $big: item.toString() };
    if (item instanceof Uint8Array) return { $bytes: Buffer.from(item).toString('base64') };
    return item;
  });

export const fromText = <Value>(text: string): Value =>
  JSON.parse(text, (_, item: unknown) => {
    if (typeof item !== 'object' || item === null) return item;
    if ('$big' in item) return BigInt(item.$big as string);
    if ('$bytes' in item) return new Uint8Array(Buffer.from(item.$bytes as string, 'base64'));
    return item;
  }) as Value;
