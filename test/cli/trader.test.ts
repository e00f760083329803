import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from 'citty';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/free-ports.ts';
import { rialto } from '../../src/cli/commands.ts';
import { type Running, startProgram } from './running.ts';

/** About 4 s of the whole run. Commands run in this process, and their output is captured. */
const folder = mkdtempSync(join(tmpdir(), 'rialto-trader-'));
const handout = join(folder, 'venue.json');
let venue: Running;

beforeAll(async () => {
  const files = ['--data', join(folder, 'data'), '--handout', handout];
  venue = startProgram(['dev', '--port', '0', '--market', 'off', ...files]);
  await venue.until({ file: handout });
});
afterAll(async () => {
  await venue?.stop();
  rmSync(folder, { recursive: true });
});

async function outputOf(...rawArgs: string[]): Promise<string> {
  const printed: string[] = [];
  const out = vi
    .spyOn(console, 'log')
    .mockImplementation((text) => void printed.push(String(text)));
  const complained = vi
    .spyOn(console, 'error')
    .mockImplementation((text) => void printed.push(String(text)));
  const left = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}: ${printed.join('\n')}`);
  });
  try {
    await runCommand(rialto, { rawArgs });
    return printed.join('\n');
  } finally {
    for (const spy of [out, complained, left]) spy.mockRestore();
  }
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern);

const asTrader = (...args: string[]) => outputOf(...args, '--handout', handout);

test('a trader looks, buys, sees the order and cancels it', async () => {
  expect(await asTrader('balances')).toMatch(/^main \(3\d+\): collateral .*\nasset +total/);
  expect(await asTrader('positions')).toBe('no open positions');
  expect(await asTrader('order', 'buy', 'BTC-USDT', '0.01', '--price', '59000')).toMatch(
    /^order \d+: BUY 0\.01 BTC-USDT at 59000\S*, OPEN$/,
  );
  const listed = JSON.parse(await asTrader('order', 'list', '--json'));
  expect(listed).toMatchObject([{ marketCode: 'BTC-USDT', side: 'BUY' }]);
  expect(await asTrader('book', 'BTC-USDT')).toContain('one side is empty');
  expect(await asTrader('book', 'BTC-USDT', '--watch', '--count', '1')).toBe('');
  expect(await asTrader('order', 'cancel', 'BTC-USDT', listed[0].orderId)).toContain('CANCELED');
  expect(await asTrader('order', 'list')).toBe('no open orders');
  expect(await asTrader('order', 'cancel-all')).toBe('no open orders');
  expect(await asTrader('candles', 'BTC-USDT', '--plot')).toContain('BTC-USDT 1h');
});

test('a stop is shown with the price that it waits for', async () => {
  const sell = ['order', 'sell', 'BTC-USD-SWAP-LIN', '0.01', '--stop', '57000'];
  expect(await asTrader(...sell)).toMatch(/ at market, stop at 57000\S*, OPEN$/);
  const limited = await asTrader(...sell, '--price', '56000');
  expect(limited).toMatch(/ at 56000\S*, stop at 57000\S*, OPEN$/);
  const [heads, ...rows] = (await asTrader('order', 'list')).split('\n');
  expect(heads).toMatch(/ price +stop +quantity /);
  expect(rows).toEqual([/STOP_LIMIT +56000\S* +57000/, /STOP_MARKET +- +57000/].map(matching));
  const heard = await asTrader('tail', '--count', '2');
  expect(heard).toMatch(/orderType=STOP_MARKET stopPrice=57000/);
  expect(await asTrader('order', 'cancel-all')).toBe('all canceled');
});

test('an order with a label is listed with it, and cancelled by it', async () => {
  const buy = ['order', 'buy', 'BTC-USDT', '0.01', '--price', '59000', '--label', 'dip 1'];
  expect(await asTrader(...buy)).toMatch(/, OPEN$/);
  const [heads, row] = (await asTrader('order', 'list')).split('\n');
  expect(heads).toMatch(/ filled +label +placed/);
  expect(row).toMatch(/ 0\S* +dip 1 +2/);
  const cancel = (...names: string[]) => asTrader('order', 'cancel', 'BTC-USDT', ...names);
  await expect(cancel()).rejects.toThrow('by its id or by --label, there is neither');
  await expect(cancel('1', '--label', 'dip 1')).rejects.toThrow('by --label, not both');
  expect(await cancel('--label', 'dip 1')).toContain('CANCELED');
  expect(await asTrader('order', 'list')).toBe('no open orders');
});

test('a word that no command expects places no order: it may have been meant as the price', async () => {
  const typed = asTrader('order', 'buy', 'BTC-USDT', '0.01', '59000');
  await expect(typed).rejects.toThrow(
    'exit 1: 59000 is one word too many; there are MARKET QUANTITY',
  );
  await expect(asTrader('book', 'BTC-USDT', '5')).rejects.toThrow('5 is one word too many');
  await expect(asTrader('positions', 'all')).rejects.toThrow('all is one word too many');
});

test('what the venue refuses, and what is typed wrong, is said in a sentence with exit code 1', async () => {
  const far = asTrader('order', 'buy', 'BTC-USDT', '0.01', '--price', '1');
  await expect(far).rejects.toThrow(/exit 1: 710002: price is lower than the minimum/);
  const nope = asTrader('candles', 'NOPE');
  await expect(nope).rejects.toThrow('exit 1: 20001: Parameter is invalid: marketCode is invalid');
  await expect(asTrader('balances', '--acount', 'x')).rejects.toThrow('did you mean --account?');
  await expect(asTrader('balances', '--account', 'x')).rejects.toThrow('there is no account x');
  const nowhere = outputOf('balances', '--handout', join(folder, 'none.json'));
  await expect(nowhere).rejects.toThrow('start a venue (rialto dev)');
  const down = join(folder, 'down.json');
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  writeFileSync(down, JSON.stringify({ baseUrl, accessKey: 'rk', secret: 'rs' }));
  await expect(outputOf('balances', '--handout', down)).rejects.toThrow(
    `exit 1: no answer from the venue at ${baseUrl} (connect ECONNREFUSED`,
  );
});

test('health is asked of a running venue, and a configuration is checked without one', async () => {
  expect(await outputOf('health', '--data', join(folder, 'data'))).toMatch(/^ready\n/);
  const config = join(folder, 'rialto.json');
  writeFileSync(config, '{ "port": 0 }');
  expect(await outputOf('config', 'check', config)).toMatch(/^the configuration is right\n/);
  writeFileSync(config, '{ "sources": [{ "file": "prices.json" }] }');
  await expect(outputOf('config', 'check', config)).rejects.toThrow('there is no');
  const pem = join(folder, 'junk.pem');
  writeFileSync(pem, 'junk');
  writeFileSync(config, JSON.stringify({ tls: { keyFile: pem, certFile: pem } }));
  await expect(outputOf('config', 'check', config)).rejects.toThrow('do not serve');
});
