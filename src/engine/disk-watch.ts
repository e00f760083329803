import { statfsSync } from 'node:fs';
import type { Command } from '../domain/commands.ts';

/** What an operator sees of the disk that the journal is on. */
export type DiskStatus = {
  /** Undefined where the file system does not say. */
  readonly freeBytes: number | undefined;
  /** Why new orders are refused; undefined while they are accepted. */
  readonly refusing: string | undefined;
};

export type DiskLimits = {
  /** Below this the log warns. */
  readonly warnBytes: number;
  /** Below this new orders are refused, so that the rest is left for cancels and the venue's own commands. */
  readonly minBytes: number;
};

const MIB = 1_048_576;
export const DEFAULT_DISK_LIMITS: DiskLimits = { warnBytes: 1_024 * MIB, minBytes: 128 * MIB };

export type DiskWatchOptions = {
  readonly freeBytes: () => number | undefined;
  /** Why the journal has no next segment, if it has none. */
  readonly spareFailure: () => string | undefined;
  readonly limits: DiskLimits;
  readonly onNotice: (words: string) => void;
};

/**
 * Refuses new business before the journal can fail. The journal allocates its space ahead, a segment at a
 * time, so a full disk is noticed while there is room for some hundred thousand cancels.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #freeBytes: number | undefined;
  #isWarned = false;
  #refusing: string | undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  get status(): DiskStatus {
    return { freeBytes: this.#freeBytes, refusing: this.#refusing };
  }

  /** Why a command is refused; cancels and the venue's own commands never are. */
  refusalOf(command: Command): string | undefined {
    return this.#refusing !== undefined && isNewBusiness(command) ? this.#refusing : undefined;
  }

  /** Once a second: asking the file system costs microseconds. */
  check(): void {
    const { freeBytes, limits, onNotice } = this.#options;
    const free = freeBytes();
    this.#freeBytes = free;
    const isLow = free !== undefined && free < limits.warnBytes;
    if (isLow && !this.#isWarned) onNotice(`the disk has ${free} bytes left`);
    this.#isWarned = isLow;
    const before = this.#refusing;
    this.#refusing = this.#whyNot(free);
    if (this.#refusing !== undefined && before === undefined) onNotice(this.#refusing);
    if (this.#refusing === undefined && before !== undefined)
      onNotice('new orders are taken again');
  }

  #whyNot(free: number | undefined): string | undefined {
    const { limits, spareFailure } = this.#options;
    const failure = spareFailure();
    if (failure !== undefined) return `${NO_NEW}: the journal has no next segment (${failure})`;
    // Hysteresis: a quarter more space is needed before orders are accepted again.
    const needed = this.#refusing === undefined ? limits.minBytes : (limits.minBytes * 5) / 4;
    if (free === undefined || free >= needed) return undefined;
    return `${NO_NEW}: the disk has ${free} bytes left, ${limits.minBytes} are the least`;
  }
}

const NO_NEW = 'new orders are not taken, cancels are';

const isNewBusiness = ({ kind }: Command): boolean =>
  kind === 'place-orders' || kind === 'modify-orders' || kind === 'transfer';

/** Bytes that an unprivileged program may still write. Needs no descriptor. */
export function freeBytesOf(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
