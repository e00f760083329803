/**
 * A chunked request body: its length is known only at its end; each chunk is preceded by its size.
 *
 * As strict as the head: a size is hexadecimal digits and nothing else, lines end with CR and LF, and there
 * are no trailers. A chunk extension is one plain name, which is skipped; all extensions of a body together
 * are bounded.
 */
export type ChunkRule =
  | 'chunk size'
  | 'chunk end'
  | 'chunk extension'
  | 'chunk extensions'
  | 'trailers';
export type ChunkFault = { readonly rule: ChunkRule };

export const EXTENSION_BYTES_MAX = 16_384;
/** Eight hexadecimal digits: 4 GiB, which no endpoint accepts. */
const SIZE_DIGITS_MAX = 8;

const [SIZE, EXTENSION, SIZE_END, DATA, DATA_CR, DATA_LF, LAST_CR, LAST_LF] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];
const [CR, LF, SEMICOLON] = [0x0d, 0x0a, 0x3b];

export class ChunkedBody {
  #state: number = SIZE;
  #sizeDigits = 0;
  #leftBytes = 0;
  #extensionBytes = 0;
  #hasName = false;
  isWhole = false;

  /** Hands over the data; returns where it stopped: at the end of the body, or of the bytes. */
  read(bytes: Buffer, from: number, take: (data: Buffer) => void): number | ChunkFault {
    let at = from;
    while (at < bytes.length && !this.isWhole) {
      if (this.#state === DATA) {
        const end = Math.min(bytes.length, at + this.#leftBytes);
        this.#leftBytes -= end - at;
        if (this.#leftBytes === 0) this.#state = DATA_CR;
        take(bytes.subarray(at, end));
        at = end;
      } else {
        const fault = this.#step(bytes[at++] as number);
        if (fault !== undefined) return { rule: fault };
      }
    }
    return at;
  }

  #step(byte: number): ChunkRule | undefined {
    switch (this.#state) {
      case SIZE:
        return this.#readSize(byte);
      case EXTENSION:
        return this.#readExtension(byte);
      case SIZE_END:
        if (byte !== LF) return 'chunk size';
        this.#state = this.#leftBytes === 0 ? LAST_CR : DATA;
        this.#sizeDigits = 0;
        return undefined;
      case DATA_CR:
        this.#state = DATA_LF;
        return byte === CR ? undefined : 'chunk end';
      case DATA_LF:
        this.#state = SIZE;
        return byte === LF ? undefined : 'chunk end';
      case LAST_CR:
        this.#state = LAST_LF;
        return byte === CR ? undefined : 'trailers';
      default:
        this.isWhole = byte === LF;
        return this.isWhole ? undefined : 'chunk end';
    }
  }

  #readSize(byte: number): ChunkRule | undefined {
    const digit = digitOf(byte);
    if (digit >= 0) {
      if (++this.#sizeDigits > SIZE_DIGITS_MAX) return 'chunk size';
      this.#leftBytes = this.#leftBytes * 16 + digit;
      return undefined;
    }
    if (this.#sizeDigits === 0 || (byte !== CR && byte !== SEMICOLON)) return 'chunk size';
    this.#state = byte === CR ? SIZE_END : EXTENSION;
    this.#hasName = false;
    return undefined;
  }

  #readExtension(byte: number): ChunkRule | undefined {
    if (byte === CR && this.#hasName) {
      this.#state = SIZE_END;
      return undefined;
    }
    this.#hasName = true;
    if (++this.#extensionBytes > EXTENSION_BYTES_MAX) return 'chunk extensions';
    return isOfName(byte) ? undefined : 'chunk extension';
  }
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Letters, digits and a few signs: a value, a second extension or a blank is refused. */
const isOfName = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x5f;
