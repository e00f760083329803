import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { bytesOfBase32 } from '../../src/api/request/one-time-codes.ts';
import type { Handout } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { builtSite } from '../../src/site.ts';
import { startProgram } from '../cli/running.ts';
import { openBrowser } from './browser.ts';

/** A venue of `dev` with its page and a browser to look at it with. */
export type DemoVenue = {
  readonly baseUrl: string;
  /** Signs for the main account of a demo family, with everything allowed. */
  client(family: string): RialtoClient;
  /** A signed-in page that notes every console message, error and request to another host. */
  open(path: string): Promise<{ readonly page: Page; readonly faults: string[] }>;
  stop(): Promise<void>;
};

/** The venue, or why there is no browser here. */
export async function openDemoVenue(): Promise<DemoVenue | string> {
  const browser: Browser | string = await openBrowser();
  if (typeof browser === 'string') return browser;
  await builtSite();
  const folder = mkdtempSync(join(tmpdir(), 'rialto-page-'));
  const file = join(folder, 'handout.json');
  const program = startProgram([
    ...['dev', '--port', '0', '--data', join(folder, 'data'), '--handout', file],
    ...['--market', 'off'],
  ]);
  await program.until({ file });
  const handout: Handout = JSON.parse(readFileSync(file, 'utf8'));
  const { baseUrl } = handout;
  // The first question loads the files.
  for (let tries = 0; !(await (await fetch(baseUrl)).text()).includes('id="root"'); tries++) {
    if (tries > 200) throw new Error('the page was not served');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    baseUrl,
    client: (family) => {
      const [main] = handout.families.find(({ name }) => name === family)?.accounts ?? [];
      const key = main?.keys.find(({ permissions }) => permissions.includes('withdraw'));
      if (key === undefined) throw new Error(`${family} has no such key`);
      const { accessKey, secret } = key;
      return new RialtoClient({ baseUrl, accessKey, secret });
    },
    open: async (path) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        // Colours change at once: what is measured is what is there.
        reducedMotion: 'reduce',
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      page.on('console', (message) => {
        // The browser itself notes an answer that refuses.
        if (!message.text().includes('status of 400')) faults.push(`console: ${message.text()}`);
      });
      page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseUrl)) {
          faults.push(`request: ${request.url()}`);
        }
      });
      await page.goto(baseUrl + path);
      const signIn = page.locator('header').getByRole('button', { name: 'Sign in' });
      await signIn.click();
      await page
        .getByRole('button', { name: /^Start as demo-1/ })
        .last()
        .click();
      await page.getByRole('button', { name: /^Account main/ }).waitFor();
      return { page, faults };
    },
    stop: async () => {
      await browser.close();
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What an authenticator shows at that time. */
export function codeAt(secret: string, nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const hash = createHmac('sha1', bytesOfBase32(secret) as Uint8Array)
    .update(counter)
    .digest();
  const offset = (hash[19] as number) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}
