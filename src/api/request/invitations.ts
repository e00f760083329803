import { createHash } from 'node:crypto';

/** The hash of an invitation's token, which is all that the venue keeps. */
export const hashOfToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64');
