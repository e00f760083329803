import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { jetstream } from '@nats-io/jetstream';
import { Objm, StorageType } from '@nats-io/obj';
import type { Blobs } from './blobs.ts';
import { LogUnavailable } from './log.ts';
import { connectToServers, type NatsServers } from './nats-connection.ts';

/** Each chunk is a message that is acknowledged; larger ones would delay appends. */
const CHUNK_BYTES = 256 * 1_024;
const ANSWER_MS = 5_000;

/** The object store of the log servers, over a separate connection: a long file delays no append. */
export async function openNatsBlobs(
  options: NatsServers & { readonly bucket: string; readonly replicas: number },
): Promise<Blobs> {
  const { bucket, replicas } = options;
  const connection = await connectToServers(options);
  try {
    const stores = new Objm(jetstream(connection, { timeout: ANSWER_MS }));
    const store = await stores.create(bucket, { storage: StorageType.File, replicas });
    return {
      place: `object store ${bucket}`,
      put: async (name, file, attributes) => {
        const data = Readable.toWeb(createReadStream(file)) as ReadableStream;
        const about = { name, metadata: attributes, options: { max_chunk_size: CHUNK_BYTES } };
        await store.put(about, data as Parameters<typeof store.put>[1], { timeout: ANSWER_MS });
      },
      get: async (name, toFile) => {
        const found = await store.get(name);
        if (found === null) throw new Error('it is not there any more');
        // The client compares the SHA-256 at the end of the data.
        const data = Readable.fromWeb(found.data as ReadableStream);
        await pipeline(data, createWriteStream(toFile, { mode: 0o600 }));
        const fault = await found.error;
        if (fault instanceof Error) throw fault;
      },
      list: async () =>
        (await store.list().catch(unanswered))
          .filter(({ deleted }) => !deleted)
          .map(({ name, metadata = {} }) => ({ name, attributes: metadata })),
      remove: async (name) => {
        if ((await store.info(name)) !== null) await store.delete(name);
      },
      close: () => connection.close(),
    };
  } catch (cause) {
    await connection.close();
    return unanswered(cause);
  }
}

/** A bucket that was made a moment ago has no leader for seconds: whoever asks may ask again. */
function unanswered(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new LogUnavailable(`the object store of the log does not answer: ${reason}`);
}
