import { ByteWriter } from '../../src/bytes/pack.ts';
import { snapshotOf } from '../../src/core/snapshot.ts';
import { newState, type State } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import { defaultCatalogue } from '../../src/defaults/catalogue.ts';
import type { Command, CreditGenesis, SetupCommand } from '../../src/domain/commands.ts';
import { partsFromText } from '../../src/domain/decimal.ts';
import { decodeEvents } from '../../src/domain/event-codec.ts';
import type { Event } from '../../src/domain/events.ts';
import type { Permission } from '../../src/domain/terms.ts';
import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  sequence,
  timeMs,
} from '../../src/domain/units.ts';

export const START_MS = 1_750_000_000_000;

/** The core alone, with a clock set by the test: for tests of rules. */
export class CoreVenue {
  readonly state: State;
  readonly #out = new ByteWriter();
  nowMs: number;

  constructor(state = newState(), nowMs = START_MS) {
    this.state = state;
    this.nowMs = nowMs;
  }

  apply(command: Command): Event[] {
    this.#out.clear();
    apply(
      this.state,
      { sequence: sequence(this.state.sequence + 1), timeMs: timeMs(this.nowMs), command },
      this.#out,
    );
    return decodeEvents(this.#out.view());
  }

  /** The reason of the refusal, or the kind of the first event. */
  outcome(command: Command): string {
    const [event] = this.apply(command);
    return event?.kind === 'refused' ? event.reason : (event?.kind ?? 'nothing');
  }

  account(family: string, name: string): AccountIndex {
    const index = this.state.familyByName.get(family) ?? -1;
    const found = this.state.families[index]?.accounts.find(
      (account) => this.state.accounts[account]?.name === name,
    );
    if (found === undefined) throw new Error(`no account ${family}/${name}`);
    return found;
  }

  key(family: string, name: string, ...permissions: Permission[]): KeyIndex {
    const account = this.account(family, name);
    const wanted = ['read', ...permissions].join();
    const index = this.state.keys.findIndex(
      (key) => key.account === account && key.permissions.join() === wanted,
    );
    if (index < 0) throw new Error(`no key of ${family}/${name} with ${wanted}`);
    return index as KeyIndex;
  }

  asset(code: string): AssetIndex {
    const index = this.state.assetByCode.get(code);
    if (index === undefined) throw new Error(`no asset ${code}`);
    return index as AssetIndex;
  }

  market(code: string): MarketIndex {
    const index = this.state.marketByCode.get(code);
    if (index === undefined) throw new Error(`no market ${code}`);
    return index as MarketIndex;
  }

  bytes(): Uint8Array {
    return snapshotOf(this.state);
  }
}

/** "1.5" as parts at the ledger's eight decimals. */
export const parts = (text: string): Amount => amount(partsFromText(text, 8) as bigint);

/** Funds by family, account and asset: `{ alice: { main: { USDT: '50' } } }`. */
export type Funds = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;

/** A venue with the default catalogue and the given families, each account with three keys. */
export function venueWith(funds: Funds): CoreVenue {
  const venue = new CoreVenue();
  const actor = 'test';
  const steps: (SetupCommand | CreditGenesis)[] = [...defaultCatalogue(actor)];
  for (const [family, accounts] of Object.entries(funds)) {
    for (const [name, assets] of Object.entries(accounts)) {
      const account = { family, name };
      steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
      for (const [asset, text] of Object.entries(assets)) {
        steps.push({ kind: 'credit-genesis', account, asset, amount: parts(text) });
      }
      const sets: Permission[][] = [['read'], ['read', 'trade']];
      if (name === 'main') sets.push(['read', 'trade', 'withdraw']);
      for (const permissions of sets) {
        const accessKey = `${family}/${name}/${permissions.join('+')}`;
        const sealedSecret = new Uint8Array([1]);
        steps.push({ kind: 'create-key', actor, account, accessKey, sealedSecret, permissions });
      }
    }
  }
  venue.apply({ kind: 'genesis', steps });
  return venue;
}
