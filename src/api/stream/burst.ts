/** How many sweeps, one a second, a burst may take to be read. */
const BURST_SWEEPS = 30;

/**
 * What a connection was sent at once, before it could read any of it: a snapshot with thousands of orders,
 * everything a single command did. That alone does not make it slow, if it is read in time. Without this,
 * one cancel of 10,000 orders cut off every listener of the account, and one order that matches 10,000 others
 * cut off every listener of the market.
 */
export class Burst {
  #batch = -1;
  #bytes = 0;
  #sweeps = 0;

  /** Parts of one batch are one burst, if what came before it was read. */
  add(batch: number, bytes: number, isReadBefore: boolean): void {
    if (batch === this.#batch) this.#bytes += bytes;
    else if (isReadBefore) {
      this.#batch = batch;
      this.#bytes = bytes;
      this.#sweeps = 0;
    }
  }

  /** How much of what is unread now may be due to it. */
  left(unreadBytes: number): number {
    this.#bytes = Math.min(this.#bytes, unreadBytes);
    return this.#bytes;
  }

  sweep(): void {
    if (++this.#sweeps > BURST_SWEEPS) this.#bytes = 0;
  }
}
