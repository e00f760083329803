import { CoreVenue, parts } from '../../../test/support/core-venue.ts';
import { directoryOf, view } from '../../core/views/views.ts';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import type { Command, GenesisStep } from '../../domain/commands.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import { amount, type NetworkIndex, sequence, timeMs } from '../../domain/units.ts';
import { type Engine, EngineStopped } from '../../engine/engine.ts';
import type { Chain } from '../chains/chain.ts';

/** The program was killed: whatever it does from now on has no effect. */
export class Killed extends EngineStopped {
  constructor() {
    super('killed');
  }
}

/** Decides at every step of the program whether it is killed there. */
export type Fate = { isDead: boolean; dies(place: string): boolean };

function passOrDie(fate: Fate, place: string): void {
  if (!fate.isDead && fate.dies(place)) fate.isDead = true;
  if (fate.isDead) throw new Killed();
}

/**
 * The real core with a journal that is durable immediately. A program that is killed before its command is on
 * disk has not sent it; one that is killed afterwards does not get the answer.
 */
export function engineOver(core: CoreVenue, fate: Fate): Engine {
  let released = core.state.sequence;
  const engine: Partial<Engine> = {
    directory: directoryOf(core.state),
    get releasedSequence() {
      return released;
    },
    nowMs: () => core.nowMs,
    indexPrices: () => view(core.state, 'indexPrices', {}),
    submit: async (command: Command) => {
      passOrDie(fate, `before ${command.kind}`);
      const events = core.apply(command);
      released = core.state.sequence;
      passOrDie(fate, `after ${command.kind}`);
      const outcome = { sequence: sequence(released), timeMs: timeMs(core.nowMs), events };
      return { outcome, isRepeat: false };
    },
    view: async (name, query) => {
      passOrDie(fate, `view ${name}`);
      return view(core.state, name, query);
    },
  };
  return engine as Engine;
}

/** A chain for a program that may be killed before or after every request. */
export function mortal(chain: Chain, fate: Fate): Chain {
  return new Proxy(chain, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        passOrDie(fate, `before ${String(name)}`);
        const result = (member as (...of: unknown[]) => unknown).apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          passOrDie(fate, `after ${String(name)}`);
          return value;
        });
      };
    },
  });
}

export type WalletVenue = {
  readonly core: CoreVenue;
  readonly network: NetworkIndex;
  readonly spec: NetworkSpec;
};

/** A venue with one network and the given families; each main account has a key that may withdraw. */
export function walletVenue(
  spec: NetworkSpec,
  families: readonly string[],
  costs: string,
): WalletVenue {
  const core = new CoreVenue();
  const actor = 'test';
  const steps: GenesisStep[] = defaultCatalogue(actor).map((step) =>
    step.kind === 'define-network' && step.network.name === spec.name
      ? { ...step, network: spec }
      : step,
  );
  for (const family of families) {
    const account = { family, name: 'main' };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    steps.push({ kind: 'waive-delays', family });
    steps.push({
      ...{ kind: 'create-key', actor, account, accessKey: family },
      ...{ sealedSecret: new Uint8Array(1), permissions: ['read', 'trade', 'withdraw'] },
    });
  }
  steps.push({ kind: 'fund-network-costs', asset: spec.coin ?? '', amount: parts(costs) });
  core.apply({ kind: 'genesis', steps });
  const networks = core.state.networks.map(({ name }) => name);
  // Limits are tested with the core, not here.
  const most = amount(10n ** 18n);
  core.apply({ kind: 'set-withdrawal-limits', actor, daily: most, automatic: most });
  return { core, spec, network: networks.indexOf(spec.name) as NetworkIndex };
}

/** What must be on the chains by the ledger, of one asset: in its parts, without the funds from genesis. */
export function crossedOf({ core }: WalletVenue, code: string): bigint {
  const { deposits, withdrawals, gas } = core.state.assets[core.asset(code)]?.crossed ?? {
    ...{ deposits: 0n, withdrawals: 0n, gas: 0n },
  };
  return deposits - withdrawals - gas;
}
