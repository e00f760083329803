import { join } from 'node:path';

/** Where a venue keeps what, inside its data directory. */
export const layoutOf = (directory: string) => ({
  journal: join(directory, 'journal'),
  events: join(directory, 'events'),
  snapshots: join(directory, 'snapshots'),
  poison: join(directory, 'poison'),
  /** Where segments go that are not needed any more, unless the operator named another folder. */
  archive: join(directory, 'archive'),
});
