import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type CommandDef, runCommand } from 'citty';
import { afterAll, expect, test, vi } from 'vitest';
import { catalogue } from '../../src/cli/catalogue.ts';
import { init } from '../../src/cli/init.ts';
import { key } from '../../src/cli/key.ts';
import { RialtoClient, RialtoError } from '../../src/client/index.ts';
import { readConfigFile, venueConfig } from '../../src/config.ts';
import {
  Anvil,
  anvilProgram,
  CHAIN_ID,
  TOKEN_ID,
} from '../../src/connectors/chains/anvil.fixture.ts';
import { startVenue } from '../../src/main.ts';

type RunningVenue = Awaited<ReturnType<typeof startVenue>>;

const parent = mkdtempSync(join(tmpdir(), 'rialto-first-fill-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const program = anvilProgram();

/** A section of the page: its commands except `serve`, and its files. */
class Section {
  readonly folder = mkdtempSync(join(parent, 'section-'));
  readonly #text: string;

  constructor(title: string) {
    const page = readFileSync('docs/OPERATING.md', 'utf8');
    this.#text = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
    copyFileSync('test/support/tls/key-1.pem', join(this.folder, 'key.pem'));
    copyFileSync('test/support/tls/cert-1.pem', join(this.folder, 'cert.pem'));
  }

  block(language: 'json' | 'jsonc'): string {
    return this.#text.split(`\n\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** Runs them in order. Returns what `key create` printed. */
  async run(): Promise<string[]> {
    const lines = [...this.#text.matchAll(/^npm run -s rialto -- (.*)$/gm)].map(
      ([, line = '']) => line,
    );
    expect(lines.pop()).toBe('serve --config rialto.json');
    const secrets: string[] = [];
    for (const line of lines) {
      const [command = '', file] = line.replace(/ +#.*$/, '').split(' > ');
      const output = await this.#runOne(command.split(' '));
      if (file !== undefined) this.write(file, output);
      if (command.startsWith('key')) secrets.push(output);
    }
    return secrets;
  }

  /** The output of a command. Files that it names are in the folder of the section. */
  async #runOne([name = '', ...args]: readonly string[]): Promise<string> {
    const placed = args.map((word) =>
      /\.json$|^\.\//.test(word) ? join(this.folder, word) : word,
    );
    const output: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line) => output.push(String(line)));
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => output.push(String(text)) > 0);
    try {
      const command = { init, key, catalogue }[name];
      await runCommand(command as CommandDef, { rawArgs: placed });
    } finally {
      vi.restoreAllMocks();
    }
    return output.join('\n');
  }

  /** Does what `serve` does with the configuration. */
  async serve(): Promise<RunningVenue> {
    const file = join(this.folder, 'rialto.json');
    const { found, base } = readConfigFile(file);
    const ports = { port: 0, managementPort: 0, logLevel: 'silent' } as const;
    return startVenue({ config: venueConfig({ ...found, ...ports }, base) });
  }
}

const clientOf = (venue: RunningVenue, output = ''): RialtoClient => {
  const [, accessKey = '', secret = ''] = /accessKey (\S+)\nsecret +(\S+)/.exec(output) ?? [];
  const baseUrl = `https://localhost:${venue.port}`;
  return new RialtoClient({ baseUrl, accessKey, secret, fetch: fetchTls });
};

/** The first sells to the second. */
async function trade(
  [seller, buyer]: readonly [RialtoClient, RialtoClient],
  terms: { readonly marketCode: string; readonly price: string; readonly quantity: string },
): Promise<unknown> {
  const order = { ...terms, orderType: 'LIMIT', timeInForce: 'GTC' } as const;
  await seller.placeOrders({ orders: [{ ...order, side: 'SELL' }] });
  const [bought] = await buyer.placeOrders({ orders: [{ ...order, side: 'BUY' }] });
  return bought;
}

/** The test's certificate is not signed by an authority. */
const fetchTls: typeof fetch = (input, options = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(String(input), {
      method: options.method ?? 'GET',
      headers: options.headers as Record<string, string>,
      rejectUnauthorized: false,
      agent: false,
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve(new Response(Buffer.concat(chunks), { status: response.statusCode ?? 0 })),
      );
    });
    sent.end(options.body as string | undefined);
  });

test('the commands of the page lead from an empty folder to a fill over TLS', async () => {
  const section = new Section('From nothing to the first fill');
  section.write('genesis.json', section.block('jsonc'));
  const [alpha, beta] = await section.run();
  const written = readFileSync(join(section.folder, 'rialto.json'), 'utf8');
  const more = JSON.parse(section.block('json')) as object;
  section.write('rialto.json', JSON.stringify({ ...JSON.parse(written), ...more }));
  const venue = await section.serve();
  try {
    const sides = [clientOf(venue, beta), clientOf(venue, alpha)] as const;
    const bought = await trade(sides, { marketCode: 'BTC-USDT', price: '60000', quantity: '0.5' });
    expect(bought).toMatchObject({ submitted: true, matchPrice: '60000.00', matchQuantity: '0.5' });
  } finally {
    await venue.stop();
  }
}, 90_000);

test.skipIf(program === undefined)(
  'a venue without money from nowhere is funded on a real chain, coin and token, to a fill over TLS',
  async () => {
    const anvil = await Anvil.start(program as string);
    const section = new Section('The first fill, funded by deposits');
    section.write('genesis.json', section.block('jsonc'));
    const config = JSON.parse(section.block('json'));
    const { Ethereum } = config.chains;
    expect(Ethereum).toMatchObject({
      chainId: Number(CHAIN_ID),
      tokens: { USDT: { tokenId: TOKEN_ID } },
    });
    Object.assign(Ethereum, { url: anvil.url, pollMs: 100 });
    section.write('rialto.json', JSON.stringify(config));
    const [saidOfAlpha, saidOfBeta] = await section.run();
    const venue = await section.serve();
    try {
      const [alpha, beta] = [clientOf(venue, saidOfAlpha), clientOf(venue, saidOfBeta)] as const;
      expect((await alpha.balances())[0]?.balances).toEqual([]);
      const to = { usdt: await addressOf(alpha, 'USDT'), eth: await addressOf(beta, 'ETH') };
      await anvil.pay({ to: to.usdt, tokenId: TOKEN_ID, amount: 5_000_000_000n });
      await anvil.pay({ to: to.eth, amount: 2n * 10n ** 18n });
      await anvil.mine(Ethereum.confirmations);
      await Promise.all([credited(alpha), credited(beta)]);
      const terms = { marketCode: 'ETH-USDT', price: '3000', quantity: '1' };
      const bought = await trade([beta, alpha], terms);
      expect(bought).toMatchObject({
        submitted: true,
        matchPrice: '3000.00',
        matchQuantity: '1.0',
      });
    } finally {
      await venue.stop();
      anvil.stop();
    }
  },
  90_000,
);

const ASK_AGAIN_MS = 50;

/** Polls until the venue has reached its node; otherwise the test times out. */
async function addressOf(client: RialtoClient, asset: string): Promise<string> {
  for (;;) {
    const found = await client.depositAddress({ asset, network: 'Ethereum' }).catch(refusedOnly);
    if (found !== undefined) return found.address;
    await setTimeout(ASK_AGAIN_MS);
  }
}

async function credited(client: RialtoClient): Promise<void> {
  while ((await client.deposits())[0]?.status !== 'COMPLETED') await setTimeout(ASK_AGAIN_MS);
}

function refusedOnly(error: unknown): undefined {
  if (!(error instanceof RialtoError && error.code === '35044')) throw error;
}
