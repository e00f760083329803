import type { IncomingMessage } from 'node:http';

/**
 * Collects a body as text and hands it over once; undefined when it is larger than the limit.
 *
 * What comes after the limit is thrown away as it arrives (the server's request timeout bounds
 * that), so that a client that is still sending gets to read its refusal. A request that breaks off
 * is never handed over. Nearly every body is a single chunk and is not copied.
 */
export function readBody(
  message: IncomingMessage,
  limitBytes: number,
  done: (body: string | undefined) => void,
): void {
  const { headers } = message;
  const declared = headers['content-length'];
  if (declared === undefined && headers['transfer-encoding'] === undefined) {
    done('');
    return;
  }
  if (declared !== undefined && Number.parseInt(declared, 10) > limitBytes) {
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isDone = false;
  message.on('data', (chunk: Buffer) => {
    if (isDone) return;
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) {
      chunks.push(chunk);
      return;
    }
    isDone = true;
    chunks.length = 0;
    done(undefined);
  });
  message.on('end', () => {
    if (isDone) return;
    isDone = true;
    const [only] = chunks;
    if (only === undefined) done('');
    else done((chunks.length === 1 ? only : Buffer.concat(chunks)).toString('utf8'));
  });
  // A connection that breaks off has nobody left to answer; without a listener it would be thrown.
  message.on('error', () => {
    isDone = true;
  });
}
