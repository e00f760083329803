import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realFiles } from './files.ts';
import { recordBytesAt } from './record.ts';
import { listSegments, SEGMENT_HEADER_BYTES, segmentName } from './segment-header.ts';

/**
 * What a power cut may do to a journal that is a copy: a record in the middle of the newest segment is gone,
 * and later ones are still there. Returns how many records there were.
 */
export function tearCopy(directory: string): number {
  const newest = listSegments(realFiles, directory).at(-1) ?? 0;
  const file = join(directory, segmentName(newest));
  const bytes = readFileSync(file);
  const places: { readonly offset: number; readonly length: number }[] = [];
  for (let offset = SEGMENT_HEADER_BYTES; ; offset += places.at(-1)?.length ?? 0) {
    const length = recordBytesAt(bytes.subarray(offset)) ?? 0;
    if (length === 0) break;
    places.push({ offset, length });
  }
  const torn = places[Math.ceil(places.length / 2)];
  if (torn !== undefined) bytes.fill(0, torn.offset, torn.offset + torn.length);
  writeFileSync(file, bytes);
  return places.length;
}
