import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Files under names, each with a few words beside it; in the log's object store, or in a folder that all nodes see. */
export interface Blobs {
  /** Where they are, for people. */
  readonly place: string;
  /** Whole under its name, or not there. */
  put(name: string, file: string, words: BlobWords): Promise<void>;
  /** Rejects where it is missing, or is not what was put. */
  get(name: string, toFile: string): Promise<void>;
  list(): Promise<readonly { readonly name: string; readonly words: BlobWords }[]>;
  /** Whether it was there or not. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
export type BlobWords = Readonly<Record<string, string>>;

export async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
