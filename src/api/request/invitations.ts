import { createHash } from 'node:crypto';

/** What the venue keeps of the token of an invitation. */
export const hashOfToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64');
