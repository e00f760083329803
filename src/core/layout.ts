import { defaultCatalogue } from '../domain/catalogue.ts';
import type { Command } from '../domain/commands.ts';
import { ByteWriter, type Plain } from '../domain/pack.ts';
import {
  type AccountIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  sequence,
  timeMs,
} from '../domain/units.ts';
import { newState, type State } from './state.ts';
import { apply } from './venue.ts';

/**
 * The layout of the state as text: every member's path and type, of a small venue that has one of
 * everything. Nobody has to remember to count it up: whoever adds, drops or retypes a member has made
 * another layout, and a snapshot says which one it has. What types do not tell (a code that means
 * something else, a sum that is kept by another rule) is in RULES_VERSION.
 */
export const stateLayout = (): string =>
  [...linesOf(sampleState() as unknown as Plain)].sort().join('\n');

/** "accounts[].name: string": one line for every path and type there is. */
export function linesOf(value: Plain, path = '', lines = new Set<string>()): Set<string> {
  if (value === null || typeof value !== 'object') {
    lines.add(`${path}: ${value === null ? 'null' : typeof value}`);
  } else if (ArrayBuffer.isView(value)) {
    lines.add(`${path}: ${value.constructor.name}`);
  } else if (Array.isArray(value)) {
    lines.add(`${path}: list`);
    for (const item of value) linesOf(item, `${path}[]`, lines);
  } else if (value instanceof Map) {
    lines.add(`${path}: map`);
    for (const [key, item] of value as ReadonlyMap<string | number | bigint, Plain>) {
      linesOf(item, `${path}{${typeof key}}`, lines);
    }
  } else {
    for (const [name, item] of Object.entries(value as { readonly [name: string]: Plain })) {
      // An absent member is not written, so it is not part of the layout.
      if (item !== undefined) linesOf(item, path === '' ? name : `${path}.${name}`, lines);
    }
  }
  return lines;
}

/** A venue with one of everything that can be in a state. The test looks for what it lacks. */
export function sampleState(): State {
  const state = newState();
  const out = new ByteWriter();
  const now = timeMs(1_750_000_000_000);
  const submit = (command: Command): void => {
    out.clear();
    apply(state, { sequence: sequence(state.sequence + 1), timeMs: now, command }, out);
  };
  const actor = 'sample';
  const account = { family: 'sample', name: 'main' };
  const key = { kind: 'create-key', actor, account, sealedSecret: new Uint8Array(1) } as const;
  submit({
    kind: 'genesis',
    steps: [
      ...defaultCatalogue(actor),
      { kind: 'create-account', actor, account, accountType: 'PORTFOLIO' },
      { kind: 'credit-genesis', account, asset: 'OX', amount: amount(10n ** 16n) },
      {
        ...key,
        accessKey: 'sample',
        permissions: ['read', 'trade'],
        expiresAtMs: now + 1,
        addresses: ['::1'],
      },
    ],
  });
  submit({ kind: 'set-restrictions', actor, family: 'sample', restrictions: ['no-withdraw'] });
  const market = 'BTC-USD-SWAP-LIN';
  submit({ kind: 'set-backstop', actor, account, market, maxLots: 1 });
  submit({
    kind: 'cancel-all',
    by: { key: 0 as KeyIndex, fingerprint: 'sample', signedAtMs: now, expiresAtMs: now + 1 },
  });
  // What only trouble brings about.
  const holder = state.families[0]?.accounts[0] as AccountIndex;
  state.liquidating.push(holder);
  state.stepping.push(holder);
  state.restless.push(0);
  state.closingReviews.push(0);
  state.fundingDue.push({ market: 0 as MarketIndex, rate: 1n, isPaying: true, next: 0 });
  state.watch.unsure.push(holder);
  return state;
}
