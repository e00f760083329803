import {
  addLedgerHolder,
  ensureAssets,
  hold,
  type Ledger,
  move,
  newLedger,
  purseOf,
  release,
} from '../src/core/memory/ledger.ts';
import { type AccountIndex, type AssetIndex, amount, type Purse } from '../src/domain/units.ts';
import { cpuNanoseconds, type Figure, median } from './figures.ts';

/**
 * The ledger's work for a spot fill (a hold, a release and a move) over random purses, compared with a naive
 * ledger: maps with text keys and bigints.
 */
const ACCOUNTS = 10_000;
const ASSETS = 8;
const FUNDS = 1_000_000_000_000n;

export function benchLedger({ steps, rounds }: { steps: number; rounds: number }): Figure[] {
  const walk = randomWalk(steps);
  const ours: number[] = [];
  const naive: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const ledger = fundedLedger();
    ours.push(cpuNanoseconds(() => workOurs(ledger, walk)) / (3 * steps));
    const maps = fundedMaps();
    naive.push(cpuNanoseconds(() => workNaive(maps, walk)) / (3 * steps));
  }
  const value = median(ours);
  return [
    {
      id: 'S2a',
      name: 'ledger: hold, release, move',
      value,
      unit: 'ns each',
      ratio: median(naive) / value,
      to: 'quicker than Maps with text keys',
    },
  ];
}

/** From, to, asset, parts. */
function randomWalk(steps: number): Int32Array {
  const walk = new Int32Array(steps * 4);
  let seed = 42;
  const below = (bound: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % bound;
  };
  for (let at = 0; at < walk.length; at += 4) {
    walk.set([below(ACCOUNTS), below(ACCOUNTS), below(ASSETS), below(1_000)], at);
  }
  return walk;
}

function fundedLedger(): Ledger {
  const ledger = newLedger();
  ensureAssets(ledger, ASSETS);
  for (let row = 0; row < ACCOUNTS; row++) addLedgerHolder(ledger);
  ledger.available.fill(FUNDS);
  return ledger;
}

function workOurs(ledger: Ledger, walk: Int32Array): void {
  for (let at = 0; at < walk.length; at += 4) {
    const asset = walk[at + 2] as AssetIndex;
    const from: Purse = purseOf(ledger, walk[at] as AccountIndex, asset);
    const to: Purse = purseOf(ledger, walk[at + 1] as AccountIndex, asset);
    const parts = amount(BigInt((walk[at + 3] as number) | 0));
    hold(ledger, from, parts, at);
    release(ledger, from, parts, at);
    move(ledger, from, to, parts, at);
  }
}

type Maps = { readonly available: Map<string, bigint>; readonly reserved: Map<string, bigint> };

function fundedMaps(): Maps {
  const maps: Maps = { available: new Map(), reserved: new Map() };
  for (let row = 0; row < ACCOUNTS; row++) {
    for (let asset = 0; asset < ASSETS; asset++) maps.available.set(`${row}:${asset}`, FUNDS);
  }
  return maps;
}

function workNaive({ available, reserved }: Maps, walk: Int32Array): void {
  const add = (map: Map<string, bigint>, key: string, parts: bigint): void => {
    const sum = (map.get(key) ?? 0n) + parts;
    if (sum < 0n) throw new Error('overdrawn');
    map.set(key, sum);
  };
  for (let at = 0; at < walk.length; at += 4) {
    const from = `${walk[at]}:${walk[at + 2]}`;
    const to = `${walk[at + 1]}:${walk[at + 2]}`;
    const parts = BigInt(walk[at + 3] as number);
    add(available, from, -parts);
    add(reserved, from, parts);
    add(reserved, from, -parts);
    add(available, from, parts);
    add(available, from, -parts);
    add(available, to, parts);
  }
}
