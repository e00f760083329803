import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { RialtoClient, RialtoStream } from './index.ts';

const key = (accessKey: string, ...permissions: string[]) => ({
  ...{ accessKey, permissions },
  secret: `${accessKey}-secret`,
});
const HANDOUT = {
  baseUrl: 'http://localhost:1234',
  sandboxToken: 'token',
  families: [
    {
      name: 'alpha',
      accounts: [
        {
          name: 'main',
          keys: [key('a-all', 'read', 'trade', 'withdraw'), key('a-read', 'read')],
        },
        { name: 'desk-a', keys: [key('a-desk', 'read', 'trade')] },
      ],
    },
    { name: 'beta', accounts: [{ name: 'main', keys: [key('b-trade', 'read', 'trade')] }] },
  ],
};

/** The key with which a client of the handout signs. */
async function keyOf(source: string | URL | typeof HANDOUT, options = {}): Promise<string> {
  let sent = '';
  const client = await RialtoClient.fromHandout(source, {
    fetch: async (url, init) => {
      sent = `${url} ${new Headers(init?.headers).get('accesskey')}`;
      return Response.json({ success: true, data: [] });
    },
    ...options,
  });
  await client.balances();
  return sent.replace('http://localhost:1234/v3/balances ', '');
}

test('a client is made from a handout: first family, main, the key that may do most', async () => {
  expect(await keyOf(HANDOUT)).toBe('a-all');
  expect(await keyOf(HANDOUT, { permission: 'read' })).toBe('a-read');
  expect(await keyOf(HANDOUT, { account: 'desk-a' })).toBe('a-desk');
  expect(await keyOf(HANDOUT, { family: 'beta' })).toBe('b-trade');
});

test('of keys with the same permissions it is the first, whatever the account has made since', async () => {
  const [family] = HANDOUT.families;
  const keys = [key('read', 'read'), key('given', 'read', 'trade'), key('made', 'read', 'trade')];
  const families = [{ ...family, name: 'alpha', accounts: [{ name: 'main', keys }] }];
  const handout = { ...HANDOUT, families };
  expect(await keyOf(handout)).toBe('given');
  expect(await keyOf(handout, { permission: 'trade' })).toBe('given');
});

test('the error about a wrong name lists the existing ones', async () => {
  await expect(keyOf(HANDOUT, { family: 'gamma' })).rejects.toThrow('there are alpha, beta');
  await expect(keyOf(HANDOUT, { account: 'desk-z' })).rejects.toThrow('there are main, desk-a');
  await expect(keyOf(HANDOUT, { family: 'beta', permission: 'withdraw' })).rejects.toThrow(
    'beta/main has no key that may withdraw',
  );
});

test('the handout may be a file, by path or URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-handout-'));
  const file = join(folder, 'handout.json');
  writeFileSync(file, JSON.stringify(HANDOUT));
  expect(await keyOf(file)).toBe('a-all');
  expect(await keyOf(pathToFileURL(file))).toBe('a-all');
  rmSync(folder, { recursive: true });
  await expect(keyOf(file)).rejects.toThrow('ENOENT');
});

test('a stream is made the same way', async () => {
  const urls: string[] = [];
  class Socket extends EventTarget {
    constructor(url: string) {
      super();
      urls.push(url);
    }
    close(): void {}
  }
  const stream = await RialtoStream.fromHandout(HANDOUT, { WebSocket: Socket as never });
  expect(urls).toEqual(['ws://localhost:1234/v2/websocket']);
  stream.close();
});
