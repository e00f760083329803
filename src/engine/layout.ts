import { join } from 'node:path';

/** The paths inside a venue's data directory. */
export const layoutOf = (directory: string) => ({
  journal: join(directory, 'journal'),
  events: join(directory, 'events'),
  snapshots: join(directory, 'snapshots'),
  poison: join(directory, 'poison'),
  /** Where segments go that are no longer needed, unless the operator configured another folder. */
  archive: join(directory, 'archive'),
});
