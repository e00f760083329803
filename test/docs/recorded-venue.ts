import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandoutKey } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { manualClocks } from '../../src/engine/clock.ts';
import { startInProcess } from '../http/in-process.ts';
import { keyOf } from '../http/venue.ts';

/** Two o'clock on a Monday: every time in the documentation follows from it. */
const START_MS = Date.UTC(2026, 0, 5, 14);
const PRICES = {
  BTC: '60000',
  ETH: '3000',
  SOL: '150',
  XRP: '0.5',
  OX: '0.01',
  USDT: '1',
  USDC: '1',
};

/** A venue whose clock, timers and prices are controlled by the recorder. */
export type RecordedVenue = {
  readonly port: number;
  readonly nowMs: () => number;
  /** The key of an account of a demo family with exactly these permissions. */
  keyOf(family: number, account: string, ...permissions: string[]): HandoutKey;
  clientOf(key: Pick<HandoutKey, 'accessKey' | 'secret'>): RialtoClient;
  operator(): RialtoClient;
  /** Advances time by `seconds`; waits for the effects after every `atOnce` of them. */
  pass(seconds: number, atOnce?: number): Promise<void>;
  /** A second that all concurrent waiters share, with time for other threads. */
  second(): Promise<void>;
  /** A payment to an account on a simulated chain. */
  deposit(accountId: string, asset: string, quantity: string): Promise<void>;
  setPrice(asset: keyof typeof PRICES, price: string): void;
  stop(): Promise<void>;
};

export async function startRecordedVenue(): Promise<RecordedVenue> {
  const data = mkdtempSync(join(tmpdir(), 'rialto-docs-'));
  const prices = { ...PRICES };
  const file = join(data, 'prices.json');
  const writePrices = (): void => writeFileSync(file, JSON.stringify(prices));
  writePrices();
  const clocks = manualClocks(START_MS);
  const timers: (() => void)[] = [];
  const every = (_periodMs: number, run: () => void) => {
    timers.push(run);
    return () => undefined;
  };
  const settings = { openRegistration: true, sources: [{ file }] };
  const running = await startInProcess({ clocks, isDemo: true, every }, settings);
  const { venue, handout } = running;
  const { engine, managementUrl } = venue;
  const clientAt = (baseUrl: string, { accessKey, secret }: Credential): RialtoClient =>
    new RialtoClient({ baseUrl, accessKey, secret, nowMs: clocks.wallMs, followClock: false });
  const pass: RecordedVenue['pass'] = async (seconds, atOnce = 1) => {
    for (let left = seconds; left > 0; left--) {
      clocks.advance(1_000);
      if (left % atOnce === 0) {
        for (const run of timers) run();
        await settled(engine);
      } else void engine.submit({ kind: 'tick' });
    }
  };
  let shared: Promise<void> | undefined;
  return {
    port: venue.port,
    nowMs: clocks.wallMs,
    keyOf: (family, account, ...permissions) => {
      const { accounts = [] } = handout.families[family] ?? {};
      const named = accounts.find(({ name }) => name === account);
      if (named === undefined) throw new Error(`there is no account ${account}`);
      return keyOf(named, ...permissions);
    },
    clientOf: (key) => clientAt(handout.baseUrl, key),
    operator: () => clientAt(managementUrl, handout.operators[0] as Credential),
    pass,
    second: () => {
      shared ??= pass(1).then(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        shared = undefined;
      });
      return shared;
    },
    deposit: async (accountId, asset, quantity) => {
      const { sandboxToken = '' } = venue;
      const sandbox = new RialtoClient({ baseUrl: handout.baseUrl, sandboxToken });
      await sandbox.sandboxDeposit({ accountId, asset, quantity });
    },
    setPrice: (asset, price) => {
      prices[asset] = price;
      writePrices();
    },
    stop: async () => {
      await running.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

type Credential = Pick<HandoutKey, 'accessKey' | 'secret'>;
type Watched = { readonly releasedSequence: number; status(): { readonly sequence: number } };

/** Prices are read from a file, so a round takes a moment; then what was submitted is on disk. */
async function settled(engine: Watched): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2));
  while (engine.releasedSequence < engine.status().sequence) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
