import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ByteWriter } from '../src/bytes/pack.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command } from '../src/domain/commands.ts';
import type { KeyIndex, MarketIndex, Sequence, TimeMs } from '../src/domain/units.ts';
import { genesisOf } from './core.ts';
import type { Figure } from './figures.ts';

/** S9: how much the process grows, after garbage collection, for accounts and for open orders. */
export function benchMemory(sizes: { accounts: number; orders: number }): Figure[] {
  const collect = collector();
  const used = (): number => {
    // More than once: buffers are freed in the round after the one that found them.
    for (let round = 0; round < 4; round++) collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const empty = used();
  const state = newState();
  found(state, sizes.accounts);
  const withAccounts = used();
  placeOrders(state, sizes);
  const withOrders = used();
  const perAccount = (withAccounts - empty) / sizes.accounts;
  const perOrder = (withOrders - withAccounts) / sizes.orders;
  if (state.orders.openCount !== sizes.orders) throw new Error('orders are missing');
  return [
    {
      id: 'S9',
      name: `an open order (${sizes.orders} of them)`,
      value: perOrder,
      unit: 'bytes',
      goal: '<= 300',
      isMet: perOrder <= 300,
    },
    {
      id: 'S9',
      name: `an account with 5 assets (${sizes.accounts} of them)`,
      value: perAccount,
      unit: 'bytes',
      goal: '<= 2,048',
      isMet: perAccount <= 2_048,
    },
  ];
}

/** A separate function: the command, with a record for every account, is gone when memory is measured. */
function found(state: State, accounts: number): void {
  applyTo(state, genesisOf('spot', { accounts, assets: 5 }));
}

/** Each account bids at a few hundred prices below the market: nothing trades. */
function placeOrders(
  state: State,
  { accounts, orders }: { accounts: number; orders: number },
): void {
  const out = new ByteWriter(1 << 16);
  for (let at = 0; at < orders; at++) {
    const command: Command = {
      kind: 'place-orders',
      by: { key: (at % accounts) as KeyIndex },
      source: 11,
      orders: [
        {
          market: 0 as MarketIndex,
          version: 1,
          side: 'BUY',
          orderType: 'LIMIT',
          timeInForce: 'GTC',
          stpMode: 'NONE',
          triggerType: 'MARK_PRICE',
          clientOrderId: 0n,
          priceTicks: 99_000 + (at % 500),
          stopTicks: 0,
          sizeLots: 1 + (at % 100),
          displayLots: 0,
          amountParts: 0n,
          reduceOnly: false,
        },
      ],
    };
    applyTo(state, command, out);
  }
}

function applyTo(state: State, command: Command, out = new ByteWriter()): void {
  out.clear();
  const sequence = (state.sequence + 1) as Sequence;
  apply(state, { sequence, timeMs: 1_750_000_000_000 as TimeMs, command }, out);
}

/** Gives access to the collector without a command-line flag, by way of a new context. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
