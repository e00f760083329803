import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandDef, runCommand } from 'citty';
import { afterAll, expect, test, vi } from 'vitest';
import { init } from '../../src/cli/init.ts';
import { key } from '../../src/cli/key.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { readConfigFile, venueConfig } from '../../src/config.ts';
import { startVenue } from '../../src/main.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-first-fill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The section of the page: its commands, and its files by name. */
const page = readFileSync('docs/OPERATING.md', 'utf8');
const section = /## From nothing to the first fill\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';
const commands = [...section.matchAll(/^npm run -s rialto -- (.*)$/gm)].map(([, line = '']) =>
  line.replace(/ +#.*$/, '').split(' '),
);
const genesis = /```jsonc\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
const tls = /```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '';

/** What a command printed. Files that it names lie in the folder of this test. */
async function run(args: readonly string[]): Promise<string> {
  const placed = args.map((word) => (/\.json$|^\.\//.test(word) ? join(folder, word) : word));
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => said.push(String(line)));
  try {
    const [name, ...rest] = placed;
    const command = name === 'init' ? init : key;
    await runCommand(command as CommandDef, { rawArgs: rest });
  } finally {
    vi.restoreAllMocks();
  }
  return said.join('\n');
}

/** The test's certificate is signed by nobody. */
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
  writeFileSync(join(folder, 'genesis.json'), genesis);
  copyFileSync('test/support/tls/key-1.pem', join(folder, 'key.pem'));
  copyFileSync('test/support/tls/cert-1.pem', join(folder, 'cert.pem'));
  const secrets: string[] = [];
  expect(commands.at(-1)?.[0]).toBe('serve');
  for (const command of commands.slice(0, -1)) {
    const said = await run(command);
    if (command[0] === 'key') secrets.push(said);
  }
  const file = join(folder, 'rialto.json');
  const written = JSON.parse(readFileSync(file, 'utf8')) as object;
  const ports = { port: 0, managementPort: 0, logLevel: 'silent' };
  writeFileSync(file, JSON.stringify({ ...written, ...JSON.parse(tls), ...ports }));
  const { found, base } = readConfigFile(file);
  const venue = await startVenue({ config: venueConfig(found, base) });
  try {
    const [buyer, seller] = secrets.map((said) => {
      const [, accessKey = '', secret = ''] = /accessKey (\S+)\nsecret +(\S+)/.exec(said) ?? [];
      const baseUrl = `https://localhost:${venue.port}`;
      return new RialtoClient({ baseUrl, accessKey, secret, fetch: fetchTls });
    });
    const order = {
      marketCode: 'BTC-USDT',
      orderType: 'LIMIT',
      price: '60000',
      quantity: '0.5',
      timeInForce: 'GTC',
    } as const;
    await seller?.placeOrders({ orders: [{ ...order, side: 'SELL' }] });
    const [bought] = (await buyer?.placeOrders({ orders: [{ ...order, side: 'BUY' }] })) ?? [];
    expect(bought).toMatchObject({ submitted: true, matchPrice: '60000.00', matchQuantity: '0.5' });
  } finally {
    await venue.stop();
  }
}, 90_000);
