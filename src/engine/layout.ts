import { join } from 'node:path';

/** Where a venue keeps what, inside its data directory. */
export const layoutOf = (directory: string) => ({
  journal: join(directory, 'journal'),
  events: join(directory, 'events'),
  snapshots: join(directory, 'snapshots'),
  poison: join(directory, 'poison'),
});
