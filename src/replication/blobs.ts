import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/**
 * Named files, each with a few attributes; in the log's object store, or in a folder that all nodes share.
 */
export interface Blobs {
  /** Where they are, for people. */
  readonly place: string;
  /** Atomic: complete under its name, or absent. */
  put(name: string, file: string, attributes: BlobAttributes): Promise<void>;
  /** Rejects if it is missing, or differs from what was put. */
  get(name: string, toFile: string): Promise<void>;
  list(): Promise<readonly { readonly name: string; readonly attributes: BlobAttributes }[]>;
  /** Succeeds whether it exists or not. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
export type BlobAttributes = Readonly<Record<string, string>>;

export async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
