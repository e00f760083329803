import { ByteWriter } from '../src/bytes/pack.ts';
import { newState, type State } from '../src/core/state.ts';
import { apply } from '../src/core/venue.ts';
import type { Command } from '../src/domain/commands.ts';
import { encodeEvent, encodeOutcome } from '../src/domain/event-codec.ts';
import { ORDER_ID_START } from '../src/domain/ids.ts';
import {
  type AccountIndex,
  amount,
  type MarketIndex,
  type Sequence,
  type TimeMs,
  usdPrice,
} from '../src/domain/units.ts';
import { commandOf, type FlowTerms, genesisOf } from './core.ts';
import type { Flow } from './flow.ts';

/**
 * The event log of a venue that has traded for a while: the flow of S2, on a spot market and, a step behind,
 * on a perpetual. About two orders close for every match, half of them with a clientOrderId.
 *
 * The core's own clock does not move, so that its prices stay fresh; the log is stamped with a time that
 * advances by `stepMs` per command. Funding is written into the log without the core, every hour.
 */
export const SPOT = 0 as MarketIndex;
export const PERPETUAL = 1 as MarketIndex;
export const START_MS = 1_750_000_000_000;
const HOUR_MS = 3_600_000;
/** The venue's own accounts come first. */
export const FIRST_ACCOUNT = 8;
/** Every tenth account has a position on which funding is due. */
export const FUNDED_EVERY = 10;

export type Traded = {
  readonly accounts: number;
  /** How far the time of the log advances per command. Three commands are a match. */
  readonly stepMs: number;
};

export class HistoryLog {
  readonly #flow: Flow;
  readonly #accounts: number;
  readonly #stepMs: number;
  readonly #state: State = newState();
  readonly #events = new ByteWriter(1 << 16);
  readonly #outcome = new ByteWriter(1 << 16);
  #at = 0;
  #nextIsSpot = true;
  #timeMs = START_MS;
  #fundedMs = START_MS;

  constructor(flow: Flow, { accounts, stepMs }: Traded) {
    this.#flow = flow;
    this.#accounts = accounts;
    this.#stepMs = stepMs;
  }

  get matches(): number {
    return this.#state.markets.reduce((sum, { matches }) => sum + matches, 0);
  }

  get timeMs(): number {
    return this.#timeMs;
  }

  /** The next outcome as the follower would store it; undefined at the end of the flow. */
  next(): Uint8Array | undefined {
    if (this.#state.sequence === 0) return this.#applied(twoMarkets(this.#accounts));
    this.#timeMs += this.#stepMs;
    if (this.#timeMs - this.#fundedMs >= HOUR_MS) return this.#funding();
    const { words } = this.#flow;
    if (this.#at === words.length) return undefined;
    const market = this.#nextIsSpot ? SPOT : PERPETUAL;
    const command = commandOf(words, this.#at, termsOf(market, this.#accounts));
    if (!this.#nextIsSpot) this.#at += 4;
    this.#nextIsSpot = !this.#nextIsSpot;
    return this.#applied(command);
  }

  #applied(command: Command): Uint8Array {
    this.#events.clear();
    const sequence = (this.#state.sequence + 1) as Sequence;
    apply(this.#state, { sequence, timeMs: START_MS as TimeMs, command }, this.#events);
    return this.#stored();
  }

  #funding(): Uint8Array {
    this.#fundedMs += HOUR_MS;
    this.#events.clear();
    const terms = { market: PERPETUAL, rate: 14_000n, index: usdPrice(10n ** 11n) };
    const about = { atMs: this.#fundedMs, seconds: 3_600 };
    encodeEvent(this.#events, { kind: 'funding-set', ...terms, ...about });
    for (let n = 0; n < this.#accounts; n += FUNDED_EVERY) {
      const account = (FIRST_ACCOUNT + n) as AccountIndex;
      const paid = { account, payment: amount(BigInt(n - 500)), lots: n - 500 };
      encodeEvent(this.#events, { kind: 'funding-paid', ...paid, ...terms });
    }
    return this.#stored();
  }

  #stored(): Uint8Array {
    this.#outcome.clear();
    encodeOutcome(this.#outcome, this.#timeMs, this.#events.view());
    return this.#outcome.bytes();
  }
}

/** The order with this number in the flow's spot market, and its account. */
export const orderInFlow = (id: number, accounts: number) => ({
  account: (FIRST_ACCOUNT + (id % accounts)) as AccountIndex,
  orderId: termsOf(SPOT, accounts).orderIdOf(id),
});

/** Orders of the two markets alternate, so their ids do too; every second one has a clientOrderId. */
function termsOf(market: MarketIndex, accounts: number): FlowTerms {
  const orderIdOf = (id: number): number => ORDER_ID_START + 2 * (id - 1) + market;
  const clientOrderIdOf = (id: number): bigint => ((id & 1) === 0 ? 0n : BigInt(orderIdOf(id)));
  return { market, accounts, orderIdOf, clientOrderIdOf };
}

/** The spot venue of S2 with the perpetual of S2 as a second market. */
function twoMarkets(accounts: number): Command {
  const spot = genesisOf('spot', { accounts });
  const perpetual = genesisOf('perpetual', { accounts: 0 });
  if (spot.kind !== 'genesis' || perpetual.kind !== 'genesis') throw new Error('no genesis');
  const second = perpetual.steps.find(({ kind }) => kind === 'define-market');
  const at = 1 + spot.steps.findIndex(({ kind }) => kind === 'define-market');
  if (second === undefined) throw new Error('the genesis of a perpetual defines one');
  return { kind: 'genesis', steps: spot.steps.toSpliced(at, 0, second) };
}
