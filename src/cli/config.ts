import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { checkStart } from '../check-start.ts';
import { readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { postgresName } from '../history/history.ts';
import { hostPort } from '../ports.ts';
import { printingCommand } from './printing.ts';

/** What depends on its catalogue cannot be checked: networks, and the keys of their wallets. */
const NOT_MADE = ' (not made yet: rialto init)';

const check = printingCommand({
  name: 'check',
  description: 'Check a configuration file without starting anything',
  args: { file: { type: 'positional', required: true, description: 'the file' } },
  find: async ({ file }) => {
    const { found, base } = readConfigFile(file);
    const config = venueConfig(found, base);
    const missing = priceFilesOf(config).filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`${file}: there is no ${missing.join(' and no ')}`);
    const isMade = await checkStart(config);
    const { data, host, port, managementHost, managementPort, tls, history } = config;
    return {
      ...{ data, host, port, managementHost, managementPort },
      tls: tls !== undefined,
      isMade,
      history: history === undefined ? 'in the data directory' : postgresName(history),
    };
  },
  text: ({ data, host, port, managementHost, managementPort, tls, isMade, history }) =>
    [
      'the configuration is right',
      `  ${tls ? 'https' : 'http'}://${hostPort(host, port)}, management on ${hostPort(managementHost, managementPort)}`,
      `  data in ${data}${isMade ? '' : NOT_MADE}`,
      `  history ${history}`,
    ].join('\n'),
});

/** A venue without them would start, and have no prices of theirs. */
const priceFilesOf = ({ sources }: VenueConfig): string[] =>
  sources.flatMap((source) =>
    typeof source === 'object' && 'file' in source ? [source.file] : [],
  );

export const config = defineCommand({
  meta: { name: 'config', description: 'Configuration files' },
  subCommands: { check },
});
