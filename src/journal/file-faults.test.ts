import { expect, test } from 'vitest';
import { unreadable, unwritable } from './file-faults.ts';

test('who was refused is named, because the files may be of another user', () => {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  expect(unreadable('/data/venue.json', refused).message).toBe(
    `/data/venue.json cannot be opened: the user of this process (${process.getuid?.() ?? 'unknown'}) ` +
      'may not (EACCES): see who owns it',
  );
});

test('what cannot be written is named', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  expect(unwritable('/data/venue.json', full).message).toBe(
    '/data/venue.json cannot be written: ENOSPC: no space left on device, write',
  );
});
