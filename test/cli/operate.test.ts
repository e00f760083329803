import fs, { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandDef, runCommand } from 'citty';
import { afterAll, expect, test, vi } from 'vitest';
import { family } from '../../src/cli/family.ts';
import type { Handout } from '../../src/cli/handout.ts';
import { market } from '../../src/cli/market.ts';
import { fees, network, price } from '../../src/cli/money.ts';
import { operator } from '../../src/cli/operator.ts';
import { audit, overview, search, solvency } from '../../src/cli/reports.ts';
import { withdrawal } from '../../src/cli/withdrawal.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { place, SPOT, spot, trade } from '../http/trading.ts';
import { startProgram } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-operate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, 'data');

/** The command line in this process: starting the program for each command would take most of the time. */
const COMMANDS = {
  ...{ market, operator, withdrawal, price, fees, network, family, overview, search, solvency },
  audit,
};

async function rialto(
  name: keyof typeof COMMANDS,
  ...args: string[]
): Promise<{ readonly out: string; readonly code: number }> {
  const lines: string[] = [];
  let code = 0;
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(`${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line) => lines.push(`${line}\n`));
  vi.spyOn(process, 'exit').mockImplementation((exitCode) => {
    code = Number(exitCode);
    throw new Error('the program ended');
  });
  try {
    await runCommand(COMMANDS[name] as CommandDef, { rawArgs: [...args, '--data', data] });
  } catch (cause) {
    if (code === 0) throw cause;
  } finally {
    vi.restoreAllMocks();
  }
  return { out: lines.join(''), code };
}
const json = async (name: keyof typeof COMMANDS, ...args: string[]) =>
  JSON.parse((await rialto(name, ...args, '--json')).out);

/** A halted market without orders accepts another tick; earlier trades keep their prices. */
async function changeTick(maker: RialtoClient, taker: RialtoClient, orderId: string) {
  const set = ['--market', SPOT, '--reason', 'fewer prices', '--set'];
  expect((await rialto('market', 'tick', ...set, '0.000000001')).out).toContain('8 decimals');
  expect((await rialto('market', 'tick', ...set, '5')).out).toBe(`${SPOT}: tick 5\n`);
  expect(await json('audit', '--limit', '1')).toMatchObject([
    { act: 'change-market', subject: SPOT, before: 'tick 0.01', after: 'tick 5' },
  ]);
  await rialto('market', 'open', '--market', SPOT, '--reason', 'done');
  const off = await place(maker, spot('SELL', '0.01', '60001'));
  expect(off.message).toContain('price 60001 is not a multiple of tick 5; nearest 60000');
  await trade(maker, taker, spot('SELL', '0.02', '60005'));
  const prices = (rows: readonly { matchPrice: string }[]) => rows.map((row) => row.matchPrice);
  expect(prices(await taker.exchangeTrades({ marketCode: SPOT }))).toEqual(['60005', '60000.1']);
  expect(prices(await taker.trades({ marketCode: SPOT }))).toEqual(['60005.0', '60000.10']);
  expect(await maker.orderStatus({ orderId })).toMatchObject({ price: '60000.10' });
  const [newest] = await taker.candles({ marketCode: SPOT, timeframe: '86400s' });
  expect(newest).toMatchObject({ low: '60000.10000000', high: '60005.00000000' });
  const [ticker] = await taker.tickers({ marketCode: SPOT });
  expect(ticker).toMatchObject({ lastTradedPrice: '60005', low24h: '60000.1' });
  await rialto('market', 'halt', '--market', SPOT, '--reason', 'maintenance');
}

/** A secret is shown once: neither a file that is there nor one that cannot be made may cost one. */
async function keepsCredentials(credential: string) {
  const text = readFileSync(credential, 'utf8');
  const add = ['add', '--name', 'sue', '--roles', 'viewer', '--to'];
  const over = await rialto('operator', ...add, credential);
  expect(over).toEqual({ out: `--to ${credential} exists already: name a new file\n`, code: 1 });
  expect(readFileSync(credential, 'utf8')).toBe(text);
  expect((await rialto('operator', ...add, join(folder, 'none', 'sue.json'))).code).toBe(1);
  await survivesFullDisk();
  const names = (await json('operator', 'list')).map(({ name }: { name: string }) => name);
  expect(names).not.toContain('sue');
  const taken = join(folder, 'rob-2.json');
  expect((await rialto('operator', ...add.with(2, 'rob'), taken)).out).toContain('exists already');
  expect(existsSync(taken)).toBe(false);
}

/** A disk that is full before costs nothing; one that is full afterwards, no secret. */
async function survivesFullDisk() {
  const { writeSync } = fs;
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  let freeWrites = 0;
  const fillUp = () =>
    vi.spyOn(fs, 'writeSync').mockImplementation(((...args: Parameters<typeof writeSync>) => {
      if (freeWrites-- <= 0) throw full;
      return writeSync(...args);
    }) as typeof writeSync);
  const file = join(folder, 'full.json');
  const add = ['add', '--roles', 'viewer', '--to', file, '--name'];
  fillUp();
  expect(await rialto('operator', ...add, 'sue')).toEqual({
    out: `--to ${file} cannot be written: ENOSPC: no space left on device, write\n`,
    code: 1,
  });
  expect(existsSync(file)).toBe(false);
  freeWrites = 1;
  fillUp();
  const { out, code } = await rialto('operator', ...add, 'may');
  expect([code, out.split('\n')[0]]).toEqual([
    1,
    `operator may was added, but ${file} cannot be written: ENOSPC: no space left on device, write. ` +
      'Its credential is shown here, this once; put it into a file of its own:',
  ]);
  const shown = join(folder, 'may.json');
  writeFileSync(shown, out.slice(out.indexOf('{')));
  expect((await rialto('overview', '--as', shown)).code).toBe(0);
}

/** What is mistyped never reached the venue, so nobody is sent to look whether it was done. */
async function refusesBeforeSending() {
  const set = ['state', '--market', SPOT, '--reason', 'x', '--set', 'SHUT'];
  expect(await rialto('market', ...set)).toEqual({
    out: '--set is one of OPEN, CANCEL_ONLY, HALTED, not SHUT\n',
    code: 1,
  });
}

test('a running venue is operated from the command line, by role, and what was done is in the audit log', async () => {
  const handout = join(folder, 'handout.json');
  const venue = startProgram([
    ...['dev', '--port', '0', '--market', 'off', '--data', data, '--handout', handout],
  ]);
  await venue.until({ file: handout });
  const { operators } = JSON.parse(readFileSync(handout, 'utf8')) as Handout;
  const clientOf = (family: string) => RialtoClient.fromHandout(handout, { family });
  const [maker, taker] = [await clientOf('demo-1'), await clientOf('demo-2')];
  const before = await trade(maker, taker, spot('SELL', '0.01', '60000.1'));
  expect(operators.map(({ name, roles }) => [name, ...roles])).toEqual([
    ['local', 'admin'],
    ['treasurer', 'viewer', 'treasury'],
  ]);

  const credential = join(folder, 'rob.json');
  const added = await rialto(
    'operator',
    'add',
    '--name',
    'rob',
    '--roles',
    'risk',
    '--to',
    credential,
  );
  expect(added.out).toContain('operator  rob (risk)');
  await keepsCredentials(credential);
  await refusesBeforeSending();
  const halt = ['halt', '--market', 'BTC-USDT', '--reason', 'maintenance'];
  expect((await rialto('market', ...halt, '--as', credential)).out).toBe(
    'BTC-USDT: HALTED (maintenance)\n',
  );
  await changeTick(maker, taker, before.made.orderId ?? '');
  const refused = await rialto(
    'withdrawal',
    'cancel',
    '--id',
    '1',
    '--reason',
    'x',
    '--as',
    credential,
  );
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.out).toContain('operator rob (risk) needs the role treasury or admin');

  expect(
    (await rialto('price', 'set', '--asset', 'SOL', '--price', '200', '--reason', 'feed')).out,
  ).toBe('SOL: 200 USD\n');
  expect((await json('overview')).markets).toContainEqual(
    expect.objectContaining({ marketCode: 'BTC-USDT', state: 'HALTED', reason: 'maintenance' }),
  );
  const way = ['--network', 'Ethereum', '--asset', 'USDT'];
  const ways = (await json('fees', 'list')) as { network: string; asset: string; fee: string }[];
  const isIt = (one: (typeof ways)[number]) => one.network === 'Ethereum' && one.asset === 'USDT';
  const fee = ways.find(isIt)?.fee ?? '';
  // The current fee: a different one may have to wait for the minute to end.
  expect((await rialto('fees', 'set', ...way, '--fee', fee)).code).toBe(0);
  expect((await rialto('fees', 'list')).out).toContain(`${fee} fixed`);
  expect((await rialto('fees', 'release', ...way)).out).toBe(
    `USDT on Ethereum: ${fee}, follows the chain\n`,
  );
  const rescan = ['rescan', '--network', 'Ethereum', '--reason', 'missed', '--height'];
  expect((await rialto('network', ...rescan, '99999999')).out).toContain('nearest');
  expect((await rialto('network', ...rescan, '1')).out).toBe(
    'Ethereum is read again from block 1\n',
  );
  const lost = ['--family', 'demo-1', '--factor', 'GOOGLE', '--reason', 'lost'];
  expect((await rialto('family', 'reset-factor', ...lost)).code).toBe(1);
  expect((await json('search', '--for', 'demo-1')).families).toEqual(['demo-1']);
  expect((await rialto('solvency')).out).toMatch(
    /^asset +liabilities +wallets .*\nOX +239999\d\d\d\./,
  );
  expect(await json('audit', '--actor', 'operator:rob')).toMatchObject([
    {
      ...{ act: 'POST /operator/v1/withdrawals/cancel', refused: true },
      reason: expect.stringContaining('needs the role treasury'),
    },
    { act: 'set-market-state', subject: 'BTC-USDT', before: 'OPEN', after: 'HALTED' },
  ]);
  expect((await rialto('operator', 'disable', '--name', 'rob')).out).toBe(
    'operator rob is disabled\n',
  );
  expect((await rialto('market', ...halt, '--as', credential)).code).toBe(1);
  expect(await venue.stop()).toBe(0);

  // The stopped venue accepts the same commands, and remembers who did what.
  expect((await rialto('market', 'open', '--market', 'BTC-USDT', '--reason', 'done')).code).toBe(0);
  const [newest] = await json('audit', '--limit', '1');
  expect(newest).toMatchObject({ act: 'set-market-state', before: 'HALTED', after: 'OPEN' });
  expect(newest.actor).toMatch(/^cli:/);
}, 180_000);
