import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RialtoStream } from '../../src/client/index.ts';
import { venueConfig } from '../../src/config.ts';
import { accountIdText } from '../../src/domain/ids.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../src/domain/terms.ts';
import type { AccountIndex } from '../../src/domain/units.ts';
import { startVenue } from '../../src/main.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { demoSecrets } from '../../src/seal.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { OPERATOR_ENDPOINTS } from '../../src/wire/operator.ts';
import { DEV_GATEWAYS } from '../support/dev-args.ts';
import type { FuzzTarget } from './fuzz.ts';
import type { FuzzKey } from './requests.ts';

export type FuzzedVenue = FuzzTarget & {
  /** The operator interface, with credentials of every single role, of several and of none. */
  readonly operators: FuzzTarget;
  stop(): Promise<void>;
};

/** The whole program in this process, with our timers: time passes only when we advance it. */
export async function fuzzedVenue(): Promise<FuzzedVenue> {
  const data = mkdtempSync(join(tmpdir(), 'rialto-fuzz-'));
  const timers: (() => void)[] = [];
  const venue = await startVenue({
    config: venueConfig(
      {
        ...{ data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' },
        gateways: DEV_GATEWAYS,
      },
      data,
    ),
    genesis: (seal) => demoGenesis(demoSecrets(seal)),
    // No ten-second wait after a wrong code here.
    after: (_delayMs, call) => void setImmediate(call),
    every: (_periodMs, run) => {
      timers.push(run);
      return () => undefined;
    },
  });
  // A listener keeps the venue from being idle: otherwise a request would trigger its own price round.
  const listener = new RialtoStream({ baseUrl: `http://127.0.0.1:${venue.port}` });
  const { engine, seal } = venue;
  await historyIsThere(venue.port);
  const { directory } = engine;
  const accounts = directory.families().flatMap(({ accounts: own }) => own);
  const accountIds = accounts.map(accountIdText);
  const passTime = async (): Promise<void> => {
    for (const run of timers) run();
    // Their effects are on disk once a later command is.
    await engine.submit({ kind: 'tick' });
    // A payment of the sandbox takes several turns, and writes to the disk between them.
    await settled(engine, accounts);
  };
  return {
    port: venue.port,
    endpoints: ENDPOINTS,
    accountIds,
    operators: {
      port: Number(new URL(venue.managementUrl).port),
      endpoints: OPERATOR_ENDPOINTS,
      accountIds,
      keys: operatorKeys(venue),
      state: () => stateForOperators(venue, accounts),
      passTime,
    },
    keys: directory.keys().map(({ accessKey, sealedSecret }) => ({
      accessKey,
      secret: Buffer.from(seal.unseal(sealedSecret)).toString('utf8'),
    })),
    state: DEV_GATEWAYS === 0 ? () => stateOf(engine, accounts) : () => settled(engine, accounts),
    passTime,
    stop: async () => {
      listener.close();
      await venue.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/**
 * Of a list of orders it waits only for the first answer, and on gateway threads the others may be in flight; nor
 * does it wait for what the venue does by itself.
 */
async function settled(engine: Engine, accounts: readonly AccountIndex[]): Promise<string> {
  for (let before = ''; ; ) {
    const now = await stateOf(engine, accounts);
    if (now === before) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Its thread starts independently: on a busy machine later than the first requests would wait for it. */
async function historyIsThere(port: number): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/v3/tickers`)).status === 200) return;
  }
  throw new Error('history has not started');
}

type Venue = Awaited<ReturnType<typeof startVenue>>;
type Engine = Venue['engine'];

/** Their names occur in no request, so that none of them is disabled by another. */
function operatorKeys({ operators, seal }: Venue): FuzzKey[] {
  const sets: OperatorRole[][] = [...OPERATOR_ROLES.map((role) => [role]), ['support', 'risk'], []];
  return sets.map((roles) => {
    const name = `fuzz-${roles.join('-') || 'nobody'}`;
    const accessKey = `key-of-${name}`;
    const secret = `secret of ${name}`;
    const sealedSecret = seal.seal(secret);
    operators.add({ name, accessKey, sealedSecret, roles, isDisabled: false });
    return { accessKey, secret };
  });
}

const PAGE = { after: -1, limit: 100_000 };

/** Everything that operators can change, except the audit log, which records their refusals. */
async function stateForOperators(
  { engine, operators }: Venue,
  accounts: readonly AccountIndex[],
): Promise<string> {
  const venue = await Promise.all([
    engine.view('solvency', {}),
    engine.view('venueLimits', {}),
    engine.view('familyPage', PAGE),
    engine.view('accountPage', PAGE),
    engine.view('keyPage', PAGE),
    engine.view('openWithdrawals', PAGE),
    engine.view('openDeposits', PAGE),
  ]);
  // Unless an operator has fixed them, fees follow the networks once a minute.
  const ways = (await engine.view('ways', {})).map(({ fee, feeSetAtMs, ...way }) =>
    way.isFeeFixed ? { ...way, fee, feeSetAtMs } : way,
  );
  const markets = (await engine.view('markets', {})).map(({ state, stateReason }) => [
    state,
    stateReason,
  ]);
  const who = operators.all().map(({ name, roles, isDisabled }) => [name, roles, isDisabled]);
  const prices = engine.indexPrices().map(({ price }) => price);
  const rest = JSON.stringify([venue, ways, markets, who, prices], (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${rest}${await stateOf(engine, accounts)}`;
}

/** Balances, positions and open orders of all accounts. */
async function stateOf(engine: Engine, accounts: readonly AccountIndex[]): Promise<string> {
  const balances = await engine.view('balances', { accounts });
  const positions = await engine.view('positions', { accounts });
  const orders = await Promise.all(accounts.map((account) => engine.view('orders', { account })));
  const held = positions.map(({ positions: own }) =>
    own.map(({ market, lots, cost }) => [market, lots, cost]),
  );
  return JSON.stringify([balances, held, orders], (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
