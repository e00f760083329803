/**
 * Follows a chain block by block. The cursor is plain data and the only state: the blocks read last, with
 * their hashes and transfers. The caller stores it; the same cursor always continues the same way.
 *
 * A block whose hash differs from the remembered one was replaced: its transfers are reported as vanished and
 * the new branch is read from the fork. A transfer that the new branch holds again within the same step is
 * reported as found at its new height, not as vanished. A node that does not know a remembered height is
 * behind; this makes nothing vanish.
 *
 * Bounds: `blocksPerCall` blocks per step, `REMEMBERED_BLOCKS` in the cursor. A fork below the oldest
 * remembered block is not followed but reported (`lost`): an operator decides from where to rescan.
 */
import {
  type BlockRef,
  type Chain,
  type ChainBlock,
  ChainUnavailable,
  type TokenId,
  type Transfer,
} from './chain.ts';

export const REMEMBERED_BLOCKS = 256;

export type ScanCursor = {
  /** Ascending without gaps. The first may be only a starting point. */
  readonly blocks: readonly RememberedBlock[];
};
type RememberedBlock = BlockRef & { readonly transfers: readonly Transfer[] };

export type ScanStep = {
  readonly cursor: ScanCursor;
  readonly headHeight: number;
  /** New, or in another block than before. */
  readonly found: readonly Transfer[];
  readonly vanished: readonly Transfer[];
  /** The last block that both branches share; undefined if no block was replaced. */
  readonly forkHeight: number | undefined;
  /** Nothing is left to read up to the head. */
  readonly isAtHead: boolean;
  /** The node's head is below the height read before. */
  readonly isNodeBehind: boolean;
};
export type ScanLost = { readonly isLost: true; readonly oldestHeight: number };

/** Starts (or starts again) so that the next block read is the one at `height`. */
export async function cursorFrom(chain: Chain, height: number): Promise<ScanCursor> {
  if (height <= 0) return { blocks: [] };
  const hash = await chain.hashAt(height - 1);
  if (hash === undefined) {
    throw new ChainUnavailable(chain.network, 'behind', `has no block ${height - 1} to start from`);
  }
  return { blocks: [{ height: height - 1, hash, transfers: [] }] };
}

/** The next step from a cursor: at most `blocksPerCall` blocks. */
export async function scan(chain: Chain, cursor: ScanCursor): Promise<ScanStep | ScanLost> {
  const head = await chain.head();
  const last = cursor.blocks.at(-1);
  const idle = { cursor, headHeight: head.height, found: [], vanished: [], forkHeight: undefined };
  if (last !== undefined && head.height < last.height) {
    return { ...idle, isAtHead: true, isNodeBehind: true };
  }
  const kept = await keptBlocks(chain, cursor.blocks);
  if (kept === undefined) return { isLost: true, oldestHeight: cursor.blocks[0]?.height ?? 0 };

  const from = (kept.at(-1)?.height ?? -1) + 1;
  const to = Math.min(head.height, from + chain.blocksPerCall - 1);
  const read = from > to ? [] : await chain.blocks(from, to);
  requireContinuation(chain, kept.at(-1), read, from);
  const replaced = cursor.blocks.slice(kept.length).flatMap(({ transfers }) => transfers);
  const found = read.flatMap(({ transfers }) => transfers);
  const keys = new Set(found.map(keyOf));
  const readUpTo = from + read.length - 1;
  return {
    cursor: { blocks: [...kept, ...read.map(remembered)].slice(-REMEMBERED_BLOCKS) },
    headHeight: head.height,
    found,
    vanished: replaced.filter((transfer) => !keys.has(keyOf(transfer))),
    forkHeight: kept.length === cursor.blocks.length ? undefined : (kept.at(-1)?.height ?? -1),
    isAtHead: readUpTo >= head.height,
    isNodeBehind: false,
  };
}

/**
 * The remembered blocks that are still in the chain: two branches never meet again after the fork, so a
 * binary search finds it. Undefined if not even the oldest is.
 */
async function keptBlocks(
  chain: Chain,
  blocks: readonly RememberedBlock[],
): Promise<readonly RememberedBlock[] | undefined> {
  const isKept = async (index: number): Promise<boolean> => {
    const { height, hash } = blocks[index] as RememberedBlock;
    const now = await chain.hashAt(height);
    if (now === undefined) {
      throw new ChainUnavailable(chain.network, 'behind', `has no block ${height} any more`);
    }
    return now === hash;
  };
  if (blocks.length === 0 || (await isKept(blocks.length - 1))) return blocks;
  let keptCount = 0;
  let replacedFrom = blocks.length - 1;
  while (keptCount < replacedFrom) {
    const middle = (keptCount + replacedFrom) >> 1;
    if (await isKept(middle)) keptCount = middle + 1;
    else replacedFrom = middle;
  }
  return keptCount === 0 ? undefined : blocks.slice(0, keptCount);
}

/** The blocks read may belong to another branch than those checked a moment ago. */
function requireContinuation(
  chain: Chain,
  last: BlockRef | undefined,
  read: readonly ChainBlock[],
  from: number,
): void {
  let parent = last?.hash;
  let height = from;
  for (const block of read) {
    if (block.height !== height || (parent !== undefined && block.parentHash !== parent)) {
      throw new ChainUnavailable(chain.network, 'changed', `block ${height} has another parent`);
    }
    parent = block.hash;
    height++;
  }
}

const remembered = ({ height, hash, transfers }: ChainBlock): RememberedBlock => ({
  height,
  hash,
  transfers,
});
const keyOf = ({ txId, output }: Transfer): string => `${txId}:${output}`;

/** The cursor as text, for a file or a command. Amounts are decimal text. */
export const cursorToText = (cursor: ScanCursor): string =>
  JSON.stringify(cursor, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/** Undefined if the text is not a cursor. */
export function cursorFromText(text: string): ScanCursor | undefined {
  const { blocks } = (objectFrom(text) ?? {}) as { readonly blocks?: unknown };
  if (!Array.isArray(blocks) || blocks.length > REMEMBERED_BLOCKS) return undefined;
  const read = blocks.map(blockFrom);
  if (!read.every((block) => block !== undefined)) return undefined;
  const isUnbroken = read.every(({ height }, index) => height === (read[0]?.height ?? 0) + index);
  return isUnbroken ? { blocks: read } : undefined;
}

function objectFrom(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function blockFrom(value: unknown): RememberedBlock | undefined {
  const { height, hash, transfers } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!isHeight(height) || typeof hash !== 'string' || !Array.isArray(transfers)) return undefined;
  const read = transfers.map((transfer) => transferFrom(transfer, { height, hash }));
  return read.every((transfer) => transfer !== undefined)
    ? { height, hash, transfers: read }
    : undefined;
}

function transferFrom(value: unknown, { height, hash }: BlockRef): Transfer | undefined {
  const { txId, output, accountNumber, address, memo, tokenId, amount } = (value ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof txId !== 'string' || !isHeight(output) || !isHeight(accountNumber)) return undefined;
  if (typeof address !== 'string' || !isTextOrAbsent(memo) || !isTextOrAbsent(tokenId)) {
    return undefined;
  }
  if (typeof amount !== 'string' || !/^[1-9]\d{0,77}$/.test(amount)) return undefined;
  return {
    txId,
    output,
    accountNumber,
    address,
    ...(memo === undefined ? {} : { memo }),
    tokenId: tokenId satisfies TokenId,
    amount: BigInt(amount),
    height,
    blockHash: hash,
  };
}

const isHeight = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';
