import { resolve } from 'node:path';
import { type CommandDef, defineCommand } from 'citty';
import {
  closeGate,
  clusterStatus,
  createCluster,
  handOver,
  liftGate,
  repairCluster,
} from '../cluster-admin.ts';
import { type Purged, purgeCluster } from '../cluster-purge.ts';
import { readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { clockWords } from '../engine/beat.ts';
import { command } from './command.ts';

const CONFIG_ARG = {
  type: 'string',
  required: true,
  description: 'configuration file of this node',
} as const;
const ARGS = { config: CONFIG_ARG } as const;
const STATUS_ARGS = {
  config: CONFIG_ARG,
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;
const GATE_ARGS = {
  config: CONFIG_ARG,
  lift: {
    type: 'boolean',
    default: false,
    description: 'take it back: the nodes that ended at the gate go on',
  },
} as const;
const PURGE_ARGS = {
  config: CONFIG_ARG,
  'dry-run': { type: 'boolean', default: false, description: 'only say what would go' },
  archive: {
    type: 'string',
    description: 'folder to which what goes is written first, as a journal',
  },
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;
const CREATE_ARGS = {
  config: CONFIG_ARG,
  'unsafe-log': {
    type: 'boolean',
    default: false,
    description: 'experiments only: one replica is enough',
  },
} as const;

export const cluster: CommandDef = defineCommand({
  meta: { name: 'cluster', description: 'A venue on several machines: its log and its nodes' },
  subCommands: {
    status: command({
      meta: {
        name: 'status',
        description: 'Who leads, where each node is, whether the log is safe',
      },
      args: STATUS_ARGS,
      run: async (args) => {
        const status = await clusterStatus(configIn(args.config));
        console.log(args.json ? JSON.stringify(status) : statusText(status));
      },
    }),
    'hand-over': command({
      meta: { name: 'hand-over', description: 'Let a standby lead; the leader comes back as one' },
      args: ARGS,
      run: async (args) => {
        const { from, to } = await handOver(configIn(args.config));
        console.log(`${to} leads, ${from} has handed over`);
      },
    }),
    gate: command({
      meta: {
        name: 'gate',
        description:
          'Close the log for the layout of data it has; all nodes end, for the version that follows',
      },
      args: GATE_ARGS,
      run: async (args) => {
        const config = configIn(args.config);
        const { layout, sequence } = await (args.lift ? liftGate : closeGate)(config);
        console.log(
          args.lift
            ? `The log is open again for ${layout}, behind sequence ${sequence}: start its version.`
            : `The log is closed for ${layout} behind sequence ${sequence}: its nodes end, start the version that follows.`,
        );
      },
    }),
    create: command({
      meta: { name: 'create', description: 'Make the log of a venue from its journal' },
      args: CREATE_ARGS,
      run: async (args) => {
        const config = configIn(args.config);
        const { toSequence } = await createCluster(config, args['unsafe-log']);
        console.log(`The log has everything up to sequence ${toSequence}. Next, on each node:`);
        console.log(`  rialto serve --role engine --config ${args.config}`);
      },
    }),
    purge: command({
      meta: {
        name: 'purge',
        description: 'Remove the beginning of the log that nobody needs any more',
      },
      args: PURGE_ARGS,
      run: async (args) => {
        const isDryRun = args['dry-run'];
        const options = { isDryRun, archive: args.archive && resolve(args.archive) };
        const purged = await purgeCluster(configIn(args.config), options);
        console.log(args.json ? JSON.stringify(purged) : purgedText(purged, isDryRun));
      },
    }),
    repair: command({
      meta: {
        name: 'repair',
        description: 'Append again what the log has lost, from this journal',
      },
      args: ARGS,
      run: async (args) => {
        const { fromSequence, toSequence } = await repairCluster(configIn(args.config));
        console.log(`The log has sequences ${fromSequence} to ${toSequence} again.`);
      },
    }),
  },
});

function configIn(file: string): VenueConfig {
  const { found, base } = readConfigFile(file);
  return venueConfig(found, base);
}

function purgedText(purged: Purged, isDryRun: boolean): string {
  const { place, sequence, messages, bounds, refused, archivedTo } = purged;
  const what =
    messages === 0
      ? `Nothing goes: the log begins at message ${place}, and from there on all of it is needed.`
      : `${messages} messages ${isDryRun ? 'would go' : 'went'}; the log ${isDryRun ? 'would begin' : 'begins'} ` +
        `at message ${place}, sequence ${sequence}.`;
  const kept = archivedTo === undefined ? [] : [`The archive ends at sequence ${archivedTo}.`];
  const why = bounds.map((bound) => `  message ${bound.place}: ${bound.words}`);
  return [what, ...kept, ...why, ...refused.map((words) => `  not used: ${words}`)].join('\n');
}

function statusText(status: Awaited<ReturnType<typeof clusterStatus>>): string {
  const { stream, venueId, messages, unsafe, silent, gate, nodes } = status;
  const lines = [`stream ${stream}, venue ${venueId}, ${messages} messages`];
  for (const { node, role, url, sequence, clockMs, listeners, version } of nodes) {
    const clock = clockMs === null ? '' : `, clock ${clockWords(clockMs)}`;
    const connections = role === 'gateway' ? `, ${listeners} connections to its stream` : '';
    const what = `${node}  ${role.padEnd(7)}  sequence ${sequence}  ${url}`;
    lines.push(`${what}  version ${version}${clock}${connections}`);
  }
  if (nodes.length === 0) lines.push('no node says anything');
  if (gate !== undefined) {
    lines.push(`closed for ${gate.layout} behind sequence ${gate.sequence} (rialto cluster gate)`);
  }
  lines.push(...silent, ...unsafe.map((reason) => `UNSAFE: ${reason}`));
  return lines.join('\n');
}
