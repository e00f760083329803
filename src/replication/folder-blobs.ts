import { existsSync } from 'node:fs';
import { copyFile, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobAttributes, type Blobs, sumOf } from './blobs.ts';

const ATTRIBUTES = '.json';

/**
 * A folder that every node can reach: a network file system, or one machine. The attributes are written last.
 */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  if (!existsSync(folder)) {
    // Made here, it could lie where a disk that all nodes see is not mounted.
    throw new Error(
      `cluster.snapshots.folder ${folder} is not there: mount its disk, or make it once`,
    );
  }
  const attributesOf = async (name: string): Promise<BlobAttributes & { readonly sum?: string }> =>
    JSON.parse(await readFile(join(folder, name + ATTRIBUTES), 'utf8'));
  return {
    place: `folder ${folder}`,
    put: async (name, file, attributes) => {
      const aside = join(folder, `${name}.${process.pid}.tmp`);
      await copyFile(file, aside);
      const sum = await sumOf(aside);
      await synced(aside);
      await rename(aside, join(folder, name));
      const text = `${JSON.stringify({ ...attributes, sum })}\n`;
      const handle = await open(aside, 'w', 0o600);
      await handle.writeFile(text);
      await handle.sync();
      await handle.close();
      await rename(aside, join(folder, name + ATTRIBUTES));
    },
    get: async (name, toFile) => {
      await copyFile(join(folder, name), toFile);
      const { sum } = await attributesOf(name);
      if ((await sumOf(toFile)) !== sum) throw new Error('its SHA-256 differs');
    },
    list: async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith(ATTRIBUTES)).sort();
      const found = [];
      for (const file of names) {
        const name = file.slice(0, -ATTRIBUTES.length);
        const attributes = await attributesOf(name).catch(() => undefined);
        if (attributes !== undefined && existsSync(join(folder, name)))
          found.push({ name, attributes });
      }
      return found;
    },
    remove: async (name) => {
      await rm(join(folder, name + ATTRIBUTES), { force: true });
      await rm(join(folder, name), { force: true });
    },
    close: async () => undefined,
  };
}

async function synced(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}
