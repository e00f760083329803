import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { ByteWriter } from '../bytes/pack.ts';
import { encodeClosed, encodeEvent, encodeMatched, encodeOutcome } from '../domain/event-codec.ts';
import type { Event, FundsMoved, GenesisCredited, Refused, Transferred } from '../domain/events.ts';
import { type AccountIndex, type AssetIndex, amount, type FamilyIndex } from '../domain/units.ts';
import { ABOUT } from './database.ts';
import { recordsOf } from './packed-lists.ts';
import { openSessions, type Place } from './place.ts';
import type { LoggedOutcome } from './projector.ts';
import { SCHEMA } from './subjects.ts';

/** Logs of made-up venues, for the tests in this directory. */
export const STAMP = 'venue-of-the-tests';

export type Happened = { readonly timeMs: number; readonly events: readonly Event[] };
type Sample = GenesisCredited | Transferred | FundsMoved | Refused;

/** As in the event log, numbered from sequence 1. */
export const logged = (happenings: readonly Happened[]): LoggedOutcome[] =>
  happenings.map(({ timeMs, events }, index) => {
    const encoded = new ByteWriter();
    for (const event of events) encode(encoded, event);
    const outcome = new ByteWriter();
    encodeOutcome(outcome, timeMs, encoded.view());
    return { sequence: index + 1, bytes: outcome.bytes() };
  });

function encode(out: ByteWriter, event: Event): void {
  switch (event.kind) {
    case 'order-matched':
      encodeMatched(out, event);
      break;
    case 'order-closed':
      encodeClosed(out, event);
      break;
    case 'order-opened':
    case 'order-modified':
    case 'order-triggered':
      throw new Error(`these tests give history no ${event.kind}`);
    default:
      encodeEvent(out, event);
  }
}

/** Two families of three accounts each: 0-2 and 3-5. */
export const FAMILIES = [0, 1] as FamilyIndex[];
export const ACCOUNTS = [0, 1, 2, 3, 4, 5] as AccountIndex[];
export const ASSETS = [0, 1] as AssetIndex[];
export const familyOf = (account: AccountIndex): FamilyIndex =>
  (account < 3 ? 0 : 1) as FamilyIndex;

export const credit = (account: number, asset: number, parts: bigint): Sample => ({
  kind: 'genesis-credited',
  account: account as AccountIndex,
  asset: asset as AssetIndex,
  amount: amount(parts),
});

export const transferOf = ({
  from,
  to,
  asset,
  parts,
}: {
  from: number;
  to: number;
  asset: number;
  parts: bigint;
}): Sample => ({
  kind: 'transferred',
  family: familyOf(from as AccountIndex),
  asset: asset as AssetIndex,
  amount: amount(parts),
  from: from as AccountIndex,
  to: to as AccountIndex,
});

const paidIn = (from: number, asset: number, parts: bigint): Sample => ({
  kind: 'funds-moved',
  ...{ from: from as AccountIndex, to: 'network-costs' },
  ...{ asset: asset as AssetIndex, amount: amount(parts) },
});

const paidOut = (to: number, asset: number, parts: bigint): Sample => ({
  kind: 'funds-moved',
  ...{ from: 'fees', to: to as AccountIndex },
  ...{ asset: asset as AssetIndex, amount: amount(parts) },
});

const refused: Refused = { kind: 'refused', reason: 'SAME_ACCOUNT', message: 'no' };

/** Time moves forward; several outcomes share a millisecond, and some skip many events. */
export const anyHappenings = (lengthMax: number): fc.Arbitrary<Happened[]> =>
  fc.array(anyStep, { maxLength: lengthMax, size: 'max' }).map((steps) => {
    let timeMs = 1_000;
    return steps.map((step) => {
      timeMs += step.laterMs;
      const events = step.kinds.map((kind) => {
        const from = step.family * 3 + (step.from % 3);
        const to = step.family * 3 + ((step.from + step.distance) % 3);
        if (kind === 'refused') return refused;
        if (kind === 'credit') return credit(from, step.asset, step.parts);
        if (kind === 'pay-in') return paidIn(from, step.asset, step.parts);
        if (kind === 'pay-out') return paidOut(to, step.asset, step.parts);
        return transferOf({ from, to, asset: step.asset, parts: step.parts });
      });
      return { timeMs, events: [...Array(step.refusals).fill(refused), ...events] };
    });
  });

const anyStep = fc.record({
  laterMs: fc.constantFrom(0, 0, 1, 2, 50),
  refusals: fc.constantFrom(0, 0, 0, 1, 85, 255),
  kinds: fc.array(
    fc.constantFrom('credit', 'transfer', 'transfer', 'pay-in', 'pay-out', 'refused'),
    {
      maxLength: 4,
    },
  ),
  family: fc.constantFrom(0, 1),
  from: fc.constantFrom(0, 1, 2),
  distance: fc.constantFrom(1, 2),
  asset: fc.constantFrom(0, 1),
  parts: fc.bigInt({ min: 1n, max: 2n ** 62n - 1n }),
});

/** A simple log of `count` transfers, three per millisecond. */
export const transfersLog = (count: number): LoggedOutcome[] =>
  logged(
    Array.from({ length: count }, (_, n) => {
      const event = transferOf({
        from: n % 3,
        to: (n + 1) % 3,
        asset: n % 2,
        parts: 5n,
      });
      return { timeMs: 1_000 + Math.floor(n / 3), events: [event] };
    }),
  );

/**
 * The complete content of a history, table by table, in the order of the keys. Packed rows are unpacked: how
 * many records share one depends on the transactions they came in.
 */
export async function contents(place: Place): Promise<Record<string, unknown[]>> {
  const tables = [ABOUT, ...SCHEMA.tables];
  const sessions = await openSessions(place, { stamp: STAMP, schema: SCHEMA });
  try {
    const held: [string, unknown[]][] = [];
    for (const { name, key } of tables) {
      const rows = await sessions.use((database) =>
        database.query<StoredRow>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`)(),
      );
      held.push([name, rows.flatMap(unpacked)]);
    }
    return Object.fromEntries(held);
  } finally {
    await sessions.close();
  }
}

type StoredRow = { readonly records?: Uint8Array };

const unpacked = ({ records, ...row }: StoredRow): object[] =>
  records === undefined
    ? [row]
    : recordsOf(records).map((record) => ({ ...row, first_id: undefined, ...record }));

/** Changes a file of history without the program. */
export function tamper(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
