/**
 * Server text frames of RFC 6455: complete and unmasked. Built once for all recipients of a message; the
 * library reads what clients send, and writes only pongs and the closing handshake.
 */
const TEXT = 0x81;
/** Lengths from here on take eight bytes. */
const SHORT_MAX = 65_536;

/** Where frames are written to. */
type FrameSink = {
  write(frame: Uint8Array): boolean;
  write(frame: string, encoding: 'latin1'): boolean;
};

/** Writes texts, each as one frame. Those of ASCII, as nearly every answer is, need no buffers: they are one write. */
export function writeFrames(to: FrameSink, texts: readonly string[]): void {
  let ascii = '';
  const writeAscii = (): void => {
    if (ascii !== '') to.write(ascii, 'latin1');
    ascii = '';
  };
  for (const text of texts) {
    const length = Buffer.byteLength(text);
    if (length === text.length && length < SHORT_MAX) ascii += headText(length) + text;
    else {
      writeAscii();
      to.write(textFrame(text, length));
    }
  }
  writeAscii();
}

function headText(length: number): string {
  if (length < 126) return String.fromCharCode(TEXT, length);
  return String.fromCharCode(TEXT, 126, length >> 8, length & 255);
}

function textFrame(text: string, length: number): Buffer {
  const frame = Buffer.allocUnsafe(frameBytes(length));
  frame.write(text, writeHead(frame, 0, length), 'utf8');
  return frame;
}

/** The length of the frame of a text with this many bytes. */
const frameBytes = (length: number): number =>
  length + (length < 126 ? 2 : length < SHORT_MAX ? 4 : 10);

/** Returns where the text begins. */
export function writeHead(to: Buffer, at: number, length: number): number {
  to[at] = TEXT;
  if (length < 126) {
    to[at + 1] = length;
    return at + 2;
  }
  if (length < SHORT_MAX) {
    to[at + 1] = 126;
    to.writeUInt16BE(length, at + 2);
    return at + 4;
  }
  to[at + 1] = 127;
  to.writeUInt32BE(0, at + 2);
  to.writeUInt32BE(length, at + 6);
  return at + 10;
}
