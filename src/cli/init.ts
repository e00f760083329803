import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { catalogueFrom, genesisFrom } from '../catalogue-file.ts';
import { type ConfigFile, readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { writeSeedFile } from '../connectors/chains/seed-file.ts';
import { keptWallet } from '../connectors/wallets/chain-files.ts';
import { withEvmNetworks } from '../connectors/wallets/evm-catalogue.ts';
import { defaultCatalogue } from '../defaults/catalogue.ts';
import type { Genesis } from '../domain/commands.ts';
import { checkGenesis } from '../engine/check-genesis.ts';
import { hasBegun, writeAtomically } from '../identity.ts';
import { makeFolder } from '../journal/files.ts';
import { withStoppedVenue } from '../main.ts';
import { command } from './command.ts';

const ARGS = {
  config: { type: 'string', default: './rialto.json', description: 'file to write' },
  data: {
    type: 'string',
    description: 'where the venue shall live: ./data, or as a file that is there says',
  },
  catalogue: {
    type: 'string',
    description: 'file with assets, networks, markets and prices; see `rialto catalogue`',
  },
  genesis: {
    type: 'string',
    description: 'file with families and money to begin with, for demo and test venues',
  },
} as const;

export const init = command({
  meta: { name: 'init', description: 'Prepare a venue: configuration, master key, catalogue' },
  args: ARGS,
  run: async (args) => {
    const genesis = genesisOf(args);
    const wrong = checkGenesis(genesis);
    if (wrong !== undefined) throw new Error(`the venue cannot begin like this: ${wrong}`);
    if (!existsSync(args.config)) {
      const data = resolve(args.data ?? './data');
      refuseBegun(data, args);
      const fresh: ConfigFile = {
        data,
        host: '127.0.0.1',
        port: 3000,
        masterKeyFile: resolve(data, 'master.key'),
        limits: true,
        sources: ['start'],
      };
      makeFolder(dirname(args.config));
      writeAtomically(args.config, `${JSON.stringify(fresh, null, 2)}\n`);
    }
    const { found, base } = readConfigFile(args.config);
    const config = venueConfig(found, base);
    if (args.data !== undefined && resolve(args.data) !== config.data) {
      throw new Error(
        `${args.config} is there and has data in ${config.data}, not in ${args.data}`,
      );
    }
    refuseBegun(config.data, args);
    const seedFiles = missingSeedFiles(config);
    const steps = withEvmNetworks(genesis.steps, config.chains);
    const { cluster } = config;
    // A new venue is no node yet: its journal becomes the log's with `cluster create`.
    const opened = hasBegun(config.data) ? config : { ...config, cluster: undefined };
    const sequence = await withStoppedVenue(
      { config: opened, genesis: () => ({ ...genesis, steps }) },
      async (engine, seal) => {
        for (const file of seedFiles) {
          writeSeedFile(file, seal);
          console.log(
            `Made ${file}, the keys of wallets: keep a copy of it and of the master key.`,
          );
        }
        return engine.status().sequence;
      },
    );
    console.log(`The venue in ${config.data} is ready (sequence ${sequence}). Next:`);
    if (cluster !== undefined) {
      console.log(`  rialto cluster create --config ${args.config}`);
      return;
    }
    console.log(`  rialto account create --config ${args.config} --family NAME`);
    console.log(
      `  rialto key create --config ${args.config} --family NAME --permissions read,trade`,
    );
    console.log(`  rialto serve --config ${args.config}`);
  },
});

/** Catalogue and genesis are a venue's first command: a venue that has begun would ignore them. */
function refuseBegun(data: string, args: BeginningFiles): void {
  const file = args.genesis ?? args.catalogue;
  if (file === undefined || !hasBegun(data)) return;
  const option = args.genesis === undefined ? '--catalogue' : '--genesis';
  throw new Error(
    `the venue in ${data} has begun already: ${file} is for a new venue; without ${option}, ` +
      'what a stopped init left undone is completed',
  );
}

type BeginningFiles = {
  readonly catalogue?: string | undefined;
  readonly genesis?: string | undefined;
};

/** Files are read and validated before anything is written. */
function genesisOf(args: BeginningFiles): Genesis {
  const actor = 'init';
  const catalogue =
    args.catalogue === undefined ? defaultCatalogue(actor) : catalogueFrom(args.catalogue, actor);
  const more = args.genesis === undefined ? [] : genesisFrom(args.genesis, actor, catalogue);
  return { kind: 'genesis', steps: [...catalogue, ...more] };
}

/**
 * Key files that the configuration names and that do not exist yet. Refused before the venue begins: one that could
 * not be written, and new keys in place of lost ones, with which addresses were given to customers.
 */
function missingSeedFiles({ data, chains }: VenueConfig): string[] {
  const missing = new Set<string>();
  for (const [network, { keys }] of Object.entries(chains)) {
    if (!('file' in keys) || existsSync(keys.file)) continue;
    const { file } = keys;
    const wallet = keptWallet(data, network);
    if (wallet !== undefined) {
      throw new Error(
        `${file} is missing, and ${network} is served with its keys (hot wallet ${wallet}): bring it back from a copy`,
      );
    }
    const folder = dirname(file);
    // The data directory is made with the venue.
    if (!existsSync(folder) && folder !== data) {
      throw new Error(`chains.${network}.keys.file ${file}: there is no folder ${folder}`);
    }
    missing.add(file);
  }
  return [...missing];
}
