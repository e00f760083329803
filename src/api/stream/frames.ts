/**
 * Server text frames of RFC 6455: complete and unmasked. Built once for all recipients of a message; the
 * library reads what clients send, and writes only pongs and the closing handshake.
 */
const TEXT = 0x81;

export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(frameBytes(length));
  frame.write(text, writeHead(frame, 0, length), 'utf8');
  return frame;
}

/** The length of the frame of a text with this many bytes. */
const frameBytes = (length: number): number =>
  length + (length < 126 ? 2 : length < 65_536 ? 4 : 10);

/** Returns where the text begins. */
export function writeHead(to: Buffer, at: number, length: number): number {
  to[at] = TEXT;
  if (length < 126) {
    to[at + 1] = length;
    return at + 2;
  }
  if (length < 65_536) {
    to[at + 1] = 126;
    to.writeUInt16BE(length, at + 2);
    return at + 4;
  }
  to[at + 1] = 127;
  to.writeUInt32BE(0, at + 2);
  to.writeUInt32BE(length, at + 6);
  return at + 10;
}
