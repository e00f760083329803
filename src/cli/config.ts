import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { postgresName } from '../history/history.ts';
import { readTls } from '../tls.ts';
import { printingCommand } from './printing.ts';

/** Checks everything that a start would refuse and that can be checked without starting. */
const check = printingCommand({
  name: 'check',
  description: 'Check a configuration file without starting anything',
  args: { file: { type: 'positional', required: true, description: 'the file' } },
  find: async ({ file }) => {
    const { found, base } = readConfigFile(file);
    const config = venueConfig(found, base);
    const missing = filesOf(config).filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`${file}: there is no ${missing.join(' and no ')}`);
    const { data, host, port, managementHost, managementPort, tls } = config;
    if (tls !== undefined) readTls(tls);
    const { history } = config;
    return {
      ...{ data, host, port, managementHost, managementPort },
      tls: tls !== undefined,
      isMade: existsSync(data),
      history: history === undefined ? 'in the data directory' : postgresName(history),
    };
  },
  text: ({ data, host, port, managementHost, managementPort, tls, isMade, history }) =>
    [
      'the configuration is right',
      `  ${tls ? 'https' : 'http'}://${host}:${port}, management on ${managementHost}:${managementPort}`,
      `  data in ${data}${isMade ? '' : ' (not made yet: rialto init)'}`,
      `  history ${history}`,
    ].join('\n'),
});

const filesOf = ({ tls, sources }: VenueConfig): string[] => [
  ...(tls === undefined ? [] : [tls.keyFile, tls.certFile]),
  ...sources.flatMap((source) =>
    typeof source === 'object' && 'file' in source ? [source.file] : [],
  ),
];

export const config = defineCommand({
  meta: { name: 'config', description: 'Configuration files' },
  subCommands: { check },
});
