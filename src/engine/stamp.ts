import { createHash } from 'node:crypto';
import { stateLayout } from '../core/layout.ts';
import { RULES_VERSION } from '../core/snapshot.ts';
import type { Command } from '../domain/commands.ts';
import { sampleTexts } from '../domain/order-texts.ts';
import type { OrderRequest } from '../domain/orders.ts';
import { ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE, TRIGGER_TYPES } from '../domain/terms.ts';
import { type KeyIndex, type MarketIndex, sequence, timeMs } from '../domain/units.ts';
import { encodeEntry } from './codec.ts';

/**
 * The stamp of journal segments and snapshots: the venue they belong to, and a hash of their layout. Files
 * with another stamp are never taken for ours; see upgrade.ts.
 *
 * The first version stamped with the venue's id alone.
 */
export const stampOf = (venueId: string): string => `${venueId} ${LAYOUT.name}`;

/** "rules 2 layout 0123456789abcdef"; computed once, on first use. */
export const LAYOUT = {
  get name(): string {
    layoutName ??= `rules ${RULES_VERSION} layout ${layoutHash()}`;
    return layoutName;
  },
};
let layoutName: string | undefined;

/** Advice to an operator whose cluster node has another layout. */
export const ONE_LAYOUT =
  'all nodes of a log have one layout of data, and change it at a gate; install the version of the others here, or close the log ' +
  'for theirs (rialto cluster gate), as "Upgrade" in CLUSTER.md says';

/** The venue that files belong to, and their layout. */
export function readStamp(stamp: string): { readonly venueId: string; readonly layout: string } {
  const at = stamp.indexOf(' ');
  if (at < 0) return { venueId: stamp, layout: FIRST_LAYOUT };
  return { venueId: stamp.slice(0, at), layout: stamp.slice(at + 1) };
}

/** The first version did not record its layout. */
const FIRST_LAYOUT = 'rules 1';

function layoutHash(): string {
  const hash = createHash('sha256').update(stateLayout());
  for (const command of sampleCommands()) {
    const stamped = { sequence: sequence(1), timeMs: timeMs(1), command };
    hash.update(encodeEntry(stamped, { lo: 1, hi: 2 }, RULES_VERSION));
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Commands that are encoded field by field, with every enumeration that is encoded as a code: another order
 * of fields or values gives other bytes. The other commands contain their members' names.
 */
function sampleCommands(): Command[] {
  const by = { key: 1 as KeyIndex, fingerprint: 'f', signedAtMs: 2, expiresAtMs: 3 };
  const plain: OrderRequest = {
    market: 4 as MarketIndex,
    version: 5,
    side: 'BUY',
    orderType: 'LIMIT',
    timeInForce: 'GTC',
    stpMode: 'NONE',
    triggerType: 'MARK_PRICE',
    clientOrderId: 6n,
    priceTicks: 7,
    stopTicks: 8,
    sizeLots: 9,
    displayLots: 10,
    amountParts: 11n,
    reduceOnly: true,
  };
  const orders: OrderRequest[] = [
    plain,
    { ...plain, texts: sampleTexts() },
    ...SIDES.map((side) => ({ ...plain, side })),
    ...ORDER_TYPES.map((orderType) => ({ ...plain, orderType })),
    ...TIMES_IN_FORCE.map((timeInForce) => ({ ...plain, timeInForce })),
    ...STP_MODES.map((stpMode) => ({ ...plain, stpMode })),
    ...TRIGGER_TYPES.map((triggerType) => ({ ...plain, triggerType })),
  ];
  const late = { lateAfterMs: 12, recvWindowMs: 13 };
  const ref = { market: 15 as MarketIndex, orderId: 16, clientOrderId: 17n };
  return [
    { kind: 'place-orders', by, source: 14, ...late, orders },
    { kind: 'cancel-orders', by, ...late, orders: [ref, { ...ref, named: sampleTexts() }] },
    { kind: 'cancel-all', by },
  ];
}
