import { parts } from '../../test/support/core-venue.ts';
import { plainSecrets } from '../../test/support/plain-secrets.ts';
import type { Transfer } from '../domain/commands.ts';
import type { AccountIndex } from '../domain/units.ts';
import { demoGenesis } from '../sandbox/demo.ts';
import { SimCluster, type SimNode, START_MS } from './cluster.fixture.ts';
import { type Engine, EngineStopped } from './engine.ts';
import type { Planted } from './planted-mistakes.fixture.ts';

/** What clients of a simulated cluster ask for, and what they are shown. */

export const demo = demoGenesis(plainSecrets());

/** A cluster that is led and whose venue has begun. */
export async function begun(
  planted?: Planted,
): Promise<{ cluster: SimCluster; leader: SimNode; engine: Engine }> {
  const cluster = new SimCluster(undefined, planted);
  await cluster.startAll();
  const leader = await cluster.untilLed();
  const engine = leader.engine as Engine;
  const submitted = engine.submit(demo);
  await cluster.pass(50);
  await submitted;
  return { cluster, leader, engine };
}

/** One USDT from the first account of the demo to the second. */
export function transferOf(engine: Engine, fingerprint: string | undefined): Transfer {
  const { directory } = engine;
  const [family] = directory.families();
  const key = directory.keys().find(({ permissions }) => permissions.includes('trade'));
  if (family === undefined || key === undefined) throw new Error('the demo has keys');
  const [from, to] = family.accounts;
  return {
    kind: 'transfer',
    by:
      fingerprint === undefined
        ? { key: key.key }
        : { key: key.key, fingerprint, expiresAtMs: START_MS + 3_600_000 },
    asset: directory.assetByCode('USDT') as never,
    amount: parts('0.01'),
    from: from as AccountIndex,
    to: to as AccountIndex,
  };
}

/** To a third account, without a signature: a repeat of it cannot be recognised. */
export function unsignedOf(engine: Engine, amount: number): Transfer {
  const to = engine.directory.families()[0]?.accounts[2] as AccountIndex;
  return { ...transferOf(engine, undefined), to, amount: BigInt(amount) as Transfer['amount'] };
}

/** How many of those transfers the engine shows; undefined where it does not answer. */
export async function shown(engine: Engine, before: bigint): Promise<number | undefined> {
  const account = engine.directory.families()[0]?.accounts[1] as AccountIndex;
  const asset = engine.directory.assetByCode('USDT') as never;
  try {
    const [found] = await engine.view('balances', { accounts: [account], asset });
    const total = found?.balances[0]?.available ?? 0n;
    return Number((total - before) / parts('0.01'));
  } catch (cause) {
    if (cause instanceof EngineStopped) return undefined;
    throw cause;
  }
}
