import { crc32 } from './crc32.ts';
import type { StreamMessage } from './stream.ts';

type Level = readonly [price: number, quantity: number];
type BookData = {
  readonly seqNum: number;
  readonly asks: readonly Level[];
  readonly bids: readonly Level[];
  readonly checksum: number;
};

/** The book of a market, maintained from the messages of its `depthUpdate` channel. */
export class LocalBook {
  readonly #asks = new Map<number, number>();
  readonly #bids = new Map<number, number>();
  #hasBegun = false;
  seqNum = 0;

  /** Throws when the levels differ from those that the venue sent: subscribe again to start over. */
  hear({ table, data, snapshot }: StreamMessage): void {
    const book = data as BookData;
    if (crc32(listText(book.asks) + listText(book.bids)) !== book.checksum) {
      throw new Error(`the checksum of book ${book.seqNum} is not ${book.checksum}`);
    }
    if (table === 'depthUpdate') {
      this.#asks.clear();
      this.#bids.clear();
      this.#hasBegun = true;
    } else if (!this.#hasBegun || (snapshot === true && book.seqNum !== this.seqNum)) {
      // A subscription starts with all levels and an empty change of the same number: this change came
      // without the levels.
      throw new Error(`the beginning of book ${book.seqNum} did not arrive`);
    } else if (book.seqNum < this.seqNum) return;
    this.seqNum = book.seqNum;
    for (const level of book.asks) set(this.#asks, level);
    for (const level of book.bids) set(this.#bids, level);
  }

  /** Best first. */
  get asks(): Level[] {
    return [...this.#asks].sort(([one], [other]) => one - other);
  }

  get bids(): Level[] {
    return [...this.#bids].sort(([one], [other]) => other - one);
  }

  /** Of the whole book, as in the `depth` channel. */
  get checksum(): number {
    return crc32(listText(this.asks) + listText(this.bids));
  }
}

function set(side: Map<number, number>, [price, quantity]: Level): void {
  if (quantity === 0) side.delete(price);
  else side.set(price, quantity);
}

const listText = (levels: readonly Level[]): string =>
  `[${levels.map(([price, quantity]) => `[${decimal(price)},${decimal(quantity)}]`).join(',')}]`;

/** As the venue prints it: no exponent, at least one decimal. */
function decimal(value: number): string {
  const text = Math.abs(value) < 1e-6 ? value.toFixed(12).replace(/0+$/, '') : String(value);
  if (text.endsWith('.')) return `${text}0`;
  return text.includes('.') ? text : `${text}.0`;
}
