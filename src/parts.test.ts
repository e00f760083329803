import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stampOf } from './engine/stamp.ts';
import { identityOf } from './identity.ts';
import { openSegments } from './journal/segments.ts';
import { writeSnapshot } from './journal/snapshots.ts';
import { checkParts, refuseWrongKey } from './parts.ts';
import { refuseTakenPort } from './ports.ts';
import { sealWith } from './seal.ts';
import { lockVenue } from './venue-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string): string => join(directory, name);
const identity = (more: object = { format: 2, begun: true }): void =>
  writeFileSync(at('venue.json'), JSON.stringify({ venueId: 'mine', ...more }));
const check = (masterKeyText?: string): void =>
  checkParts(directory, { masterKeyFile: at('master.key'), masterKeyText });

async function segments(part: string, stamp: string): Promise<void> {
  const journal = await openSegments({ directory: at(part), stamp, segmentBytes: 4096 });
  await journal.append([new Uint8Array(1)], 1);
  await journal.close();
}

test('an empty directory, a venue that has not begun, and a whole one are taken', async () => {
  check();
  identity({ format: 2, begun: false });
  check();
  identity();
  writeFileSync(at('master.key'), '');
  await segments('journal', stampOf('mine'));
  await segments('events', 'mine');
  await writeSnapshot(at('snapshots'), 1, new Uint8Array(1), { stamp: 'mine' });
  check();
});

test('an empty journal beside a venue that has begun is refused, also of the first version', () => {
  for (const more of [{ format: 2, begun: true }, { format: 1 }]) {
    identity(more);
    expect(() => check()).toThrow(
      `${at('journal')} is empty, but venue.json says that venue mine has begun: the journal is ` +
        'the venue. Bring it back from a copy; or, to begin anew, use dev --reset, or remove ' +
        'venue.json and use init',
    );
  }
});

test('a file where a folder of the venue belongs is refused with what to do', async () => {
  identity();
  writeFileSync(at('master.key'), '');
  await segments('journal', stampOf('mine'));
  const rows = [
    ['events', 'without one it is made from the journal again'],
    ['chains', 'simulated chains are made anew'],
    ['archive', 'it holds the beginning of the journal'],
    ['poison', 'start again'],
  ];
  for (const [name = '', advice = ''] of rows) {
    writeFileSync(at(name), '');
    const refusal = `${at(name)} is a file, where a folder belongs: move it away, and `;
    expect(() => check()).toThrow(refusal);
    expect(() => identityOf(directory)).toThrow(advice);
    await expect(lockVenue(directory)).rejects.toThrow(refusal);
    rmSync(at(name));
  }
  const data = at('master.key');
  for (const open of [() => identityOf(data), () => lockVenue(data)]) {
    await expect((async () => open())()).rejects.toThrow(
      `${data} is a file: the data of a venue is in a folder of its own`,
    );
  }
});

test('a journal without venue.json is refused with what to write into it', async () => {
  await segments('journal', stampOf('mine'));
  expect(() => check()).toThrow(
    `${directory} holds a journal but no venue.json: bring it back from a copy, or write ` +
      '{"venueId":"mine","format":1} into it',
  );
  writeFileSync(at('venue.json'), '{"venueId":"mine","format":1}');
  writeFileSync(at('master.key'), '');
  check();
});

test('parts without a journal and without a name are refused', async () => {
  await segments('events', 'mine');
  expect(() => check()).toThrow(`or remove ${at('events')}`);
});

test('a part of another venue is refused, and named', async () => {
  identity();
  writeFileSync(at('master.key'), '');
  await segments('journal', stampOf('mine'));
  await segments('events', 'theirs');
  expect(() => check()).toThrow(
    `${at('events')} belongs to venue theirs, venue.json to mine: bring back the one that fits, or ` +
      'remove events, which is made from the journal again',
  );
  rmSync(at('events'), { recursive: true });
  await writeSnapshot(at('snapshots'), 1, new Uint8Array(1), { stamp: stampOf('theirs') });
  expect(() => check()).toThrow(`${at('snapshots')} belongs to venue theirs`);
  rmSync(at('snapshots'), { recursive: true });
  rmSync(at('journal'), { recursive: true });
  await segments('journal', stampOf('theirs'));
  expect(() => check()).toThrow(
    /journal belongs to venue theirs, venue.json to mine: bring back the one that fits$/,
  );
});

test('a venue.json that cannot be read, or of a later program, is refused', () => {
  writeFileSync(at('venue.json'), '{"venueId"');
  expect(() => check()).toThrow('is not JSON');
  identity({});
  expect(() => check()).toThrow('names no venue: bring it back from a copy');
  identity({ format: 3 });
  expect(() => check()).toThrow('is of format 3, this program knows 2: use the program that wrote');
});

test('a lost master key is refused and not made anew', async () => {
  identity();
  await segments('journal', stampOf('mine'));
  expect(() => check()).toThrow(/^the master key is in neither .* rialto key forget-all revokes /);
  expect(existsSync(at('master.key'))).toBe(false);
  check('00'.repeat(32));
});

test('a wrong master key is refused by the first secret it does not open', () => {
  const [right, wrong] = [1, 2].map((byte) => sealWith(new Uint8Array(32).fill(byte)));
  if (right === undefined || wrong === undefined) throw new Error('two seals');
  const place = { masterKeyFile: 'key.file', masterKeyText: undefined };
  const keys = [{ sealedSecret: right.seal('secret'), isRevoked: false }];
  refuseWrongKey(place, keys, right);
  refuseWrongKey(place, [], wrong);
  refuseWrongKey(place, [{ sealedSecret: new Uint8Array(40), isRevoked: true }], wrong);
  expect(() => refuseWrongKey(place, keys, wrong)).toThrow(
    "the master key in key.file is not this venue's: it does not open the secrets of its API keys",
  );
  const text = { ...place, masterKeyText: '00' };
  expect(() => refuseWrongKey(text, keys, wrong)).toThrow('the master key in RIALTO_MASTER_KEY');
});

test('a port that is taken is refused with the setting and a way out', async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const listening = { settings: 'host, port', host: '127.0.0.1', port };
  await expect(refuseTakenPort(listening)).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (host, port): another program listens there; stop it, or ` +
      'choose another port (0 takes a free one)',
  );
  await refuseTakenPort({ ...listening, port: 0 });
  await new Promise((resolve) => server.close(resolve));
  await refuseTakenPort(listening);
  await expect(refuseTakenPort({ ...listening, host: '203.0.113.1' })).rejects.toThrow(
    'this machine does not have that address',
  );
});
