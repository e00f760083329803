import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  Anvil,
  anvilProgram,
  CHAIN_ID,
  TOKEN_ID,
} from '../../src/connectors/chains/anvil.fixture.ts';
import { startProgram } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-chains-'));
afterAll(() => rmSync(folder, { recursive: true }));
const program = anvilProgram();

test.skipIf(program === undefined)(
  'a venue on a node of its own: init makes its keys and tokens, serve reads the chain and has no sandbox',
  async () => {
    const anvil = await Anvil.start(program as string);
    const config = join(folder, 'rialto.json');
    const tokens = { USDT: { tokenId: TOKEN_ID, decimals: 6 } };
    const own = { chain: 'evm', url: anvil.url, chainId: Number(CHAIN_ID), pollMs: 100 };
    const chains = { Ethereum: { ...own, keys: { file: 'wallets.seed' }, tokens } };
    const write = (content: object): void => writeFileSync(config, JSON.stringify(content));
    write({ data: 'data', port: 0, managementPort: 0, logLevel: 'warn', chains });
    expect(await startProgram(['init', '--config', config]).exited).toBe(0);
    const seed = join(folder, 'wallets.seed');
    const sealed = readFileSync(seed, 'utf8');
    expect(statSync(seed).mode & 0o777).toBe(0o600);

    // Tokens are fixed by the catalogue: another set, and a network that does not exist.
    for (const [wrong, words] of [
      [{}, 'chains.Ethereum is missing in the configuration'],
      [
        { Ethereum: { ...chains.Ethereum, tokens: {} } },
        'and the venue was made with evm, coin ETH',
      ],
      [{ Moon: { ...chains.Ethereum, coin: 'ETH' } }, 'there is no network Moon'],
      [{ Ethereum: { ...chains.Ethereum, chain: 'bitcoin' } }, 'chains.Ethereum.chain'],
      [{ Ethereum: { ...chains.Ethereum, keys: {} } }, 'chains.Ethereum.keys'],
    ] as const) {
      write({ data: 'data', port: 0, managementPort: 0, logLevel: 'warn', chains: wrong });
      const refused = startProgram(['serve', '--config', config]);
      expect(await refused.exited).not.toBe(0);
      expect(refused.output()).toContain(words);
    }

    write({ data: 'data', port: 0, managementPort: 0, logLevel: 'warn', chains });
    const running = startProgram(['serve', '--config', config]);
    await running.until('Rialto is open: http://');
    const url = /http:\/\/\S+/.exec(running.output())?.[0] ?? '';
    const assets = await (await fetch(`${url}/v3/assets`)).text();
    expect(assets).toContain(TOKEN_ID);
    const deposit = await fetch(`${url}/sandbox/v1/deposit`, { method: 'POST', body: '{}' });
    expect(deposit.status).toBe(404);
    const { managementUrl } = JSON.parse(
      readFileSync(join(folder, 'data', 'management.json'), 'utf8'),
    ) as { managementUrl: string };
    let metrics = '';
    while (!/rialto_chain_head_height\{network="Ethereum"\} [1-9]/.test(metrics)) {
      metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    }
    expect(metrics).toContain('rialto_chain_reachable{network="Ethereum"} 1');
    // A node that is gone delays nobody.
    anvil.stop();
    while (!metrics.includes('rialto_chain_reachable{network="Ethereum"} 0')) {
      metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    }
    // Reading history wakes it; otherwise the test times out.
    while ((await fetch(`${url}/v3/tickers`)).status !== 200);
    expect((await fetch(`${managementUrl}/ready`)).status).toBe(200);
    expect(await running.stop()).toBe(0);
    expect(readFileSync(seed, 'utf8')).toBe(sealed);

    // With other keys every deposit address would be another.
    const wallet = join(folder, 'data', 'chains', 'Ethereum.wallet');
    const hot = readFileSync(wallet, 'utf8').trim();
    expect(hot).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const other = `0x${'12'.repeat(20)}`;
    writeFileSync(wallet, `${other}\n`);
    const refused = startProgram(['serve', '--config', config]);
    expect(await refused.exited).not.toBe(0);
    expect(refused.output()).toContain('chains.Ethereum.keys are not those that this venue had');
    expect(refused.output()).toContain(`would be ${hot} instead of ${other}`);
    expect(refused.output()).toContain(`remove ${wallet}`);
  },
);
