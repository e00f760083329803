import { expect, test } from 'vitest';
import { unreadable } from './file-faults.ts';

test('who was refused is named, because the files may be of another user', () => {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  expect(unreadable('/data/venue.json', refused).message).toBe(
    `/data/venue.json cannot be opened: the user of this process (${process.getuid?.() ?? 'unknown'}) ` +
      'may not (EACCES): see who owns it',
  );
});
