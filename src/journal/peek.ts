/** Read-only: who wrote each segment of a journal, and where it ends. */
import { type Files, realFiles } from './files.ts';
import { checkFrom, checkHeaders } from './verify.ts';

export type Peeked = {
  /** Oldest first. */
  readonly segments: readonly { readonly firstSequence: number; readonly stamp: string }[];
  /** Sequence of the last whole entry; 0 when empty. Reads the newest segment. */
  lastSequence(): number;
};

/** Throws JournalDamaged as opening does. */
export function peekSegments(options: {
  readonly directory: string;
  readonly files?: Files;
  /** As in the options of opening (segments.ts). */
  readonly isCopy?: boolean;
}): Peeked {
  const { directory, files = realFiles, isCopy = false } = options;
  const segments = checkHeaders(files, directory, undefined).map(({ firstSequence, stamp }) => ({
    firstSequence,
    stamp,
  }));
  return {
    segments,
    lastSequence: () => {
      const newest = segments.at(-1)?.firstSequence;
      if (newest === undefined) return 0;
      return checkFrom(files, directory, { first: newest, newest, isCopy }).lastSequence;
    },
  };
}
