import { dirname, join, resolve } from 'node:path';
import { LOOPBACK_ORIGINS } from '../api/config.ts';
import { LOG_LEVELS, venueConfig } from '../config.ts';
import { gatewayCount } from '../config-gateways.ts';
import { writeAtomically } from '../identity.ts';
import { makeFolder } from '../journal/files.ts';
import { type MarketOptions, startVenue, type Venue } from '../main.ts';
import { demoGenesis } from '../sandbox/demo.ts';
import { demoSecrets, newKeyPair } from '../seal.ts';
import { command } from './command.ts';
import { type Handout, handoutOf, signedCurl } from './handout.ts';
import { notEmpty, oneOf, onOff, wholeNumber } from './options.ts';
import { runUntilSignal } from './run.ts';

const ARGS = {
  port: { type: 'string', default: '3000', description: 'port to listen on; 0 takes a free one' },
  host: { type: 'string', default: '127.0.0.1', description: 'address to listen on' },
  'management-port': {
    type: 'string',
    default: '0',
    description: 'port for metrics and operators, on 127.0.0.1; 0 takes a free one',
  },
  data: { type: 'string', default: './data', description: 'where the venue lives' },
  reset: { type: 'boolean', default: false, description: 'start anew: forget what is in --data' },
  market: {
    type: 'string',
    default: 'on',
    description: 'on|off: a living market; off, prices stand still and nobody trades',
  },
  seed: { type: 'string', default: '1', description: 'which living market it is' },
  past: {
    type: 'string',
    default: '3d',
    description: 'how much of it has passed when a new venue opens: 12h, 3d, 0',
  },
  limits: { type: 'string', default: 'off', description: 'on|off: rate limits' },
  gateways: {
    type: 'string',
    default: '0',
    description: 'threads that serve traders beside the thread of the engine, up to 16',
  },
  'host-alias': {
    type: 'string',
    description: 'further names that clients call it by, separated by commas',
  },
  strict: {
    type: 'boolean',
    default: false,
    description: 'refuse unknown members of orders, with the nearest name',
  },
  history: {
    type: 'string',
    description: 'PostgreSQL for history, postgres://user@host:port/database; a file unless set',
  },
  handout: { type: 'string', description: 'file to write addresses and keys to, for bots' },
  log: { type: 'string', default: 'warn', description: LOG_LEVELS.join('|') },
  'allow-clock-behind': {
    type: 'boolean',
    default: false,
    description: 'start although the clock is behind the journal',
  },
} as const;

export const dev = command({
  meta: { name: 'dev', description: 'Run a venue with two funded demo families' },
  args: ARGS,
  run: async (args) => {
    const market = onOff('--market', args.market) ? marketOf(args.seed, args.past) : undefined;
    const data = resolve(notEmpty('--data', args.data));
    const hostAlias = args['host-alias'];
    const found = {
      data,
      host: notEmpty('--host', args.host),
      port: wholeNumber('--port', args.port, 65_535),
      managementPort: wholeNumber('--management-port', args['management-port'], 65_535),
      limits: onOff('--limits', args.limits),
      gateways: gatewayCount('--gateways', args.gateways, process.platform),
      strict: args.strict,
      openRegistration: true,
      origins: [LOOPBACK_ORIGINS],
      ...(hostAlias === undefined ? {} : { hostAliases: hostAlias.split(',') }),
      ...(args.history === undefined ? {} : { history: { postgres: args.history } }),
      logLevel: oneOf('--log', LOG_LEVELS, args.log),
    };
    const venue = await startVenue({
      isDemo: true,
      config: venueConfig(found, process.cwd()),
      allowClockBehind: args['allow-clock-behind'],
      reset: args.reset,
      // A laptop that has slept continues with the current time.
      takesAnyClockJump: true,
      ...(market === undefined ? {} : { market }),
      genesis: (seal) => demoGenesis(demoSecrets(seal), market !== undefined),
    });
    runUntilSignal(venue, 'stop');
    const host = `localhost:${venue.port}`;
    const { engine, seal, managementUrl, sandboxToken, operators, marketSeed } = venue;
    await addDemoOperator(venue);
    const { directory } = engine;
    const handout = handoutOf({
      ...{ directory, seal, host, managementUrl, sandboxToken, operators },
      marketSeed,
    });
    const files = [join(data, 'handout.json')];
    if (args.handout !== undefined) files.push(resolve(args.handout));
    for (const file of files) {
      makeFolder(dirname(file));
      writeAtomically(file, `${JSON.stringify(handout, null, 2)}\n`);
    }
    greet(host, handout, venue.isNew ? undefined : files[0]);
    if (market !== undefined) console.log(marketText(marketSeed));
  },
});

const DAY_HOURS = 24;
const PAST_HOURS_MAX = 7 * DAY_HOURS;
const HOUR_MS = 3_600_000;

function marketOf(seedText: string, pastText: string): MarketOptions {
  const [, count, unit] = /^(\d{1,4})([hd]?)$/.exec(pastText) ?? [];
  const hours = Number(count) * (unit === 'd' ? DAY_HOURS : 1);
  if (!(hours <= PAST_HOURS_MAX) || (unit === '' && hours > 0)) {
    throw new Error(`--past is hours or days up to 7d, like 12h, or 0, not ${pastText}`);
  }
  let isAnnounced = false;
  return {
    seed: wholeNumber('--seed', seedText, 999_999_999),
    pastMs: hours * HOUR_MS,
    onProgress: (fraction) => {
      const percent = Math.min(100, Math.floor(100 * fraction));
      if (process.stdout.isTTY)
        process.stdout.write(`\rMaking the past of the market: ${percent} %  `);
      else if (!isAnnounced) console.log('Making the past of the market ...');
      isAnnounced = true;
      if (percent === 100 && process.stdout.isTTY) process.stdout.write('\n');
    },
  };
}

const marketText = (seed: number | undefined): string =>
  seed === undefined
    ? '\n  no market: this venue began without traders (--reset begins a new one)'
    : `\n  a living market trades here (seed ${seed}): prices move, books are quoted`;

/** A second one beside the first, so that acts that need two operators can be tried. */
const DEMO_OPERATOR = 'treasurer';
const DEMO_ROLES = ['viewer', 'treasury'] as const;

async function addDemoOperator({ engine, seal, operators }: Venue): Promise<void> {
  if (operators.all().some(({ name }) => name === DEMO_OPERATOR)) return;
  const { accessKey, secret } = newKeyPair();
  const named = { name: DEMO_OPERATOR, roles: [...DEMO_ROLES] };
  await engine.submit({ kind: 'note-operator', actor: 'genesis', ...named });
  operators.add({ ...named, accessKey, sealedSecret: seal.seal(secret), isDisabled: false });
}

/** Secrets are shown once; later they are in the file that `secretsIn` names. */
function greet(host: string, handout: Handout, secretsIn: string | undefined): void {
  const lines = [
    `Rialto is open: ${handout.baseUrl}`,
    `  console for operators: ${handout.consoleUrl}`,
    '',
  ];
  if (secretsIn !== undefined) {
    console.log([...lines, `  keys and secrets are in ${secretsIn}`].join('\n'));
    return;
  }
  for (const { name: family, accounts } of handout.families) {
    for (const { accountId, name, keys, totp } of accounts) {
      lines.push(`  ${family}/${name}  account ${accountId}`);
      if (totp !== undefined) lines.push(`    ${'authenticator'.padEnd(19)} ${totp}`);
      for (const { accessKey, secret, permissions } of keys) {
        lines.push(`    ${permissions.join('+').padEnd(19)} ${accessKey}  ${secret}`);
      }
    }
  }
  const key = handout.families[0]?.accounts[0]?.keys[0];
  if (key !== undefined) {
    lines.push(
      '',
      'Your first signed request, to paste:',
      '',
      signedCurl(host, key, '/v3/account'),
    );
  }
  console.log(lines.join('\n'));
}
