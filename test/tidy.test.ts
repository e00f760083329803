import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

/** Which room may import which. This table IS the architecture: to add an arrow, change it in review. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  bytes: [],
  domain: ['bytes'],
  defaults: ['domain'],
  core: ['domain', 'bytes'],
  journal: [],
  replication: ['journal'],
  engine: ['core', 'journal', 'replication', 'domain', 'bytes'],
  history: ['domain', 'bytes'],
  wire: ['domain'],
  client: ['wire', 'domain'],
  connectors: ['engine', 'defaults', 'domain'],
  sandbox: ['engine', 'defaults', 'domain'],
  api: ['engine', 'history', 'wire', 'domain', 'bytes'],
};

/** The page is outside of `src`: it uses only the venue's interface. */
const PAGE_MAY_IMPORT = ['client', 'wire', 'domain'];
/** Inside the page: which folders each folder may import. */
const PAGE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  pages: ['pages', 'trade', 'shared'],
  trade: ['trade', 'shared'],
  console: ['console', 'shared'],
  docs: ['docs', 'shared'],
  shared: ['shared'],
};
const PAGE_MAY_USE = ['react', 'lightweight-charts', 'qrcode'];
/** Only tokens name colours; the icon is not part of a page. */
const COLOUR = /#[0-9a-f]{3,8}\b(?!-)|\brgba?\(|\bhsla?\(/i;

/** Imports nothing, so that even `bytes` can assert what only a bug of ours can break. */
const EVERYWHERE = 'domain/assert.ts';

/** Rooms that others may import only through these files. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  core: [
    'venue.ts',
    'state.ts',
    'views/views.ts',
    'snapshot.ts',
    'layout.ts',
    'upgrade.ts',
    'audit/audit.ts',
    'memory/requests.ts',
  ],
  engine: [
    'engine.ts',
    'start.ts',
    'open-node.ts',
    'beat.ts',
    'breaks.ts',
    'cluster-node.ts',
    'gate.ts',
    'verify.ts',
    'check-genesis.ts',
    'copy-venue.ts',
    'cursors.ts',
    'event-log.ts',
    'clock.ts',
    'clock-watch.ts',
    'disk-watch.ts',
    'fresh-engine.ts',
    'guarded-keys.ts',
    'join-snapshot.ts',
    'known-catalogue.ts',
    'replica.ts',
    'retention.ts',
    'stamp.ts',
    'thread-clock.ts',
    'thread-gateway.ts',
    'thread-intake.ts',
    'ticker.ts',
    'upgrade.ts',
  ],
  history: ['history.ts', 'copy.ts', 'open.ts', 'open-with-retry.ts', 'worker.ts'],
  api: ['server.ts', 'edge.ts', 'config.ts', 'stream/publisher.ts'],
  client: ['index.ts'],
};

/** Floors inside a room, top first: a file imports from its own folder and from lower floors. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [
    ['venue.ts', 'consequences.ts', 'layout.ts', 'sample-state.ts', 'upgrade.ts', 'upgrade/'],
    ['commands/'],
    ['liquidation/'],
    ['views/', 'audit/'],
    ['trading/', 'wallet/'],
    ['risk/'],
    ['state.ts', 'snapshot.ts'],
    ['book/'],
    ['memory/'],
  ],
  api: [
    ['server.ts'],
    ['edge.ts', 'config.ts'],
    ['docs/'],
    [
      'account/',
      'deposits/',
      'funding/',
      'liquidations/',
      'market-data/',
      'operator/',
      'orders/',
      'protection/',
      'stream/',
      'system/',
      'trades/',
      'access/',
      'sandbox/',
      'transfers/',
      'wallet/',
      'what-if/',
      'withdrawals/',
    ],
    ['request/', 'figures.ts'],
    ['http/'],
  ],
};

const PURE_ROOMS = ['bytes', 'domain', 'defaults', 'core'];
const IMPURE = /\bDate\b|Math\.random|setTimeout|\bprocess\b|'node:|\bany\b|\bNumber\(|parseFloat/;
/** Packages that each room may use; a pure room uses none. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  wire: ['typebox'],
  api: ['node:', 'pino', 'prom-client', 'typebox', 'ws'],
  // Only if there is no global WebSocket.
  client: ['ws'],
  journal: ['node:'],
  replication: ['node:', '@nats-io/'],
  engine: ['node:'],
  history: ['node:', 'pg'],
  connectors: ['node:', '@noble/', '@scure/'],
  sandbox: [],
  cli: ['node:', 'citty'],
};
/** The only file that converts a bigint to a number, with a check. */
const MAY_CONVERT = 'domain/units.ts';
const LINES_MAX = 400;
/** A function with more positional parameters takes a record instead. */
const PARAMETERS_MAX = 4;
/** Called for every order or match: a record for each call would cost too much. */
const HOT_FUNCTIONS: readonly string[] = [
  'core/commands/place-order.ts place',
  'core/memory/ledger.ts move',
  'core/memory/ledger.ts moveHeld',
  'core/memory/standings.ts countWorse',
  'core/risk/positions.ts fillPosition',
  'core/risk/positions.ts fillStanding',
  'core/trading/end-order.ts endOrder',
  'core/trading/execute-order.ts endOrRest',
  'core/trading/execute-order.ts executeOrder',
  'core/trading/fees.ts pay',
  'core/trading/fees.ts takeAnyFee',
  'core/trading/fees.ts takeFee',
  'core/trading/settle-match.ts charge',
  'core/trading/settle-match.ts noteRisk',
  'core/trading/settle-match.ts settleMatch',
  'core/trading/settle-match.ts settlePerpetual',
  'core/trading/settle-match.ts settleSpot',
  'domain/decimal.ts putShareUp',
  'domain/decimal.ts putTimesRatio',
  'domain/event-codec.ts encodeOrderEvent',
  'domain/market.ts putTickLots',
];
const BAD_NAME = /(^|[/-])(utils?|helpers?|common|manager|service|base|types)\.ts$/;

type SourceFile = { readonly path: string; readonly room: string; readonly lines: string[] };

const FILES = sourceFiles();
const PAGE_FILES = pageFiles();
const TESTS = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.test.ts'),
);

test('imports run down the house, and through the doors', () => {
  expect(FILES.flatMap(forbiddenImports)).toEqual([]);
});

test('the page imports the SDK, words of the wire and exact numbers, and its own folders downward', () => {
  expect(PAGE_FILES.flatMap(forbiddenPageImports)).toEqual([]);
});

test('colours of the page have names, and these stand in one file', () => {
  const found = PAGE_FILES.filter(({ path }) => path !== 'shared/tokens.css').flatMap(
    ({ path, lines }) =>
      lines.flatMap((line, index) =>
        COLOUR.test(line.replace(/url\([^)]*\)|href="[^"]*"/g, ''))
          ? [`${path}:${index + 1}: ${line.trim()}`]
          : [],
      ),
  );
  expect(found).toEqual([]);
});

test('inside a room imports run down its floors', () => {
  expect(FILES.flatMap(importsUpward)).toEqual([]);
});

test('no file imports itself, however long the way', () => {
  expect(circles()).toEqual([]);
});

test('what a file exports is used: a value elsewhere, a type at least in its own signatures', () => {
  expect(unusedExports()).toEqual([]);
});

test('every file that a comment or a document names exists', () => {
  expect(documentsAndSources().flatMap(deadReferences)).toEqual([]);
});

test('domain and core know no clock, no randomness, no disk and no network', () => {
  expect(FILES.flatMap(impureLines)).toEqual([]);
});

test('each room uses only the packages it was given', () => {
  expect(FILES.flatMap(forbiddenPackages)).toEqual([]);
});

test('no file is too long, and each is named after what it holds', () => {
  const scripts = PAGE_FILES.filter(({ path }) => !path.endsWith('.css'));
  const faults = [...FILES, ...scripts].flatMap(({ path, lines }) => [
    ...(lines.length > LINES_MAX ? [`${path} has ${lines.length} lines`] : []),
    ...(BAD_NAME.test(path) ? [`${path} says nothing about what it holds`] : []),
  ]);
  expect(faults).toEqual([]);
});

test('a function takes at most four positional parameters, unless it is listed as hot', () => {
  expect(FILES.flatMap(manyParameters).sort()).toEqual([...HOT_FUNCTIONS]);
});

test('the repository names no package registry and no path of a machine', () => {
  const lock = readFileSync('package-lock.json', 'utf8');
  expect(lock).not.toContain('"resolved"');
});

function sourceFiles(): SourceFile[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/(\.test|\.fixture|-contract)\.ts$/.test(path))
    .map((path) => ({
      path,
      room: path.includes('/') ? path.slice(0, path.indexOf('/')) : 'main',
      lines: readFileSync(`src/${path}`, 'utf8').split('\n'),
    }));
}

function pageFiles(): SourceFile[] {
  return readdirSync('web', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|css)$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => ({
      path,
      room: path.slice(0, path.indexOf('/')),
      lines: readFileSync(`web/${path}`, 'utf8').split('\n'),
    }));
}

function forbiddenPageImports(file: SourceFile): string[] {
  return importsOf(file).flatMap((target) => {
    if (!target.startsWith('.')) {
      const isAllowed = PAGE_MAY_USE.some(
        (name) => target === name || target.startsWith(`${name}/`) || target.startsWith(`${name}-`),
      );
      return isAllowed ? [] : [`web/${file.path} must not use ${target}`];
    }
    const path = normalize(join('web', dirname(file.path), target));
    const [top, room] = path.split('/');
    // The entry of the trading page is above its folders.
    const isBelow = top === 'web' && (PAGE_FOLDERS[file.room]?.includes(room ?? '') ?? true);
    const isVenue = top === 'src' && PAGE_MAY_IMPORT.includes(room ?? '');
    return isBelow || isVenue ? [] : [`web/${file.path} must not import ${path}`];
  });
}

function importsOf({ lines }: SourceFile): string[] {
  return lines.flatMap((line) => {
    const found = /^(?:import|export|\}).*\bfrom '([^']+)'|^import '([^']+)'/.exec(line);
    const loaded = /\b(?:import|URL)\('([^']+)'/.exec(line);
    const target = found?.[1] ?? found?.[2] ?? loaded?.[1];
    return target === undefined ? [] : [target];
  });
}

function forbiddenImports(file: SourceFile): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => normalize(join(dirname(file.path), target)))
    .flatMap((target) => {
      const room = target.includes('/') ? target.slice(0, target.indexOf('/')) : 'main';
      if (room === file.room || target === EVERYWHERE) return [];
      const allowed = MAY_IMPORT[file.room];
      if (allowed !== undefined && !allowed.includes(room)) {
        return [`${file.path} must not import ${target}`];
      }
      const doors = DOORS[room];
      const entered = target.slice(room.length + 1);
      if (doors !== undefined && !doors.includes(entered)) {
        return [`${file.path} enters ${room} through ${entered}, which is no door`];
      }
      return [];
    });
}

const targetsOf = (file: SourceFile): string[] =>
  importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => normalize(join(dirname(file.path), target)));

/** The floor of a file in its room and its name there; undefined in a room without floors. */
function floorOf(path: string): { level: number; name: string } | undefined {
  const room = path.slice(0, path.indexOf('/'));
  const inside = path.slice(room.length + 1);
  const floors = FLOORS[room];
  if (floors === undefined) return undefined;
  for (const [level, names] of floors.entries()) {
    const name = names.find((name) =>
      name.endsWith('/') ? inside.startsWith(name) : inside === name,
    );
    if (name !== undefined) return { level, name: `${room}/${name}` };
  }
  return { level: -1, name: path };
}

function importsUpward(file: SourceFile): string[] {
  const here = floorOf(file.path);
  if (here === undefined) return [];
  if (here.level === -1) return [`${file.path} is on no floor of its room`];
  return targetsOf(file).flatMap((target) => {
    const there = floorOf(target);
    if (there === undefined || !target.startsWith(`${file.room}/`)) return [];
    return there.level < here.level ? [`${file.path} must not import ${target} above it`] : [];
  });
}

/** Files that are part of an import cycle, found by walking the graph once. */
function circles(): string[] {
  const targets = new Map(FILES.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start !== -1) found.push([...way.slice(start), path].join(' -> '));
    if (start !== -1 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) walk(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) walk(path, []);
  return found;
}

const EXPORT = /^export (?:async )?(const|function\*?|class|type) ([\w$]+)/gm;

/** By name only: cheap, and wrong only if two files share a name. */
function unusedExports(): string[] {
  const files = ['src', 'test', 'bench', 'scripts', 'web'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(tsx?|mjs)$/.test(path))
      .map((path) => ({
        path: `${folder}/${path}`,
        text: readFileSync(`${folder}/${path}`, 'utf8'),
      })),
  );
  const countByName = new Map<string, number>();
  for (const { text } of files) {
    for (const name of new Set(text.match(/[A-Za-z_$][\w$]*/g))) {
      countByName.set(name, (countByName.get(name) ?? 0) + 1);
    }
  }
  return files
    .filter(({ path }) => /^(src|web)\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORT)]
        .filter(([, , name]) => countByName.get(name as string) === 1)
        .filter(([, kind, name]) => kind !== 'type' || timesIn(text, name as string) === 1)
        .map(([, , name]) => `${path} exports ${name}, which nobody uses`),
    );
}

const timesIn = (text: string, name: string): number =>
  text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;

type Text = { readonly path: string; readonly lines: readonly string[] };

/** Whole documents, and the comments of sources. */
function documentsAndSources(): Text[] {
  const sources = ['src', 'test', 'bench', 'scripts', 'docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return [...sources, 'README.md']
    .filter((path) => /\.(ts|mjs|md)$/.test(path))
    .map((path) => {
      const lines = readFileSync(path, 'utf8').split('\n');
      const isShown = (line: string): boolean => path.endsWith('.md') || isComment(line);
      return { path, lines: lines.filter(isShown) };
    });
}

const REFERENCE = /(?<![\w./@:-])(?:\.\.?\/)*(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|md)\b/g;
/** Names of files that a reader is asked to write. */
const TO_BE_WRITTEN = ['bot.ts'];

/** A path is relative to the root, to `src`, or to any parent folder of its file. */
function deadReferences({ path, lines }: Text): string[] {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
  const places = ['src', ...folders];
  return lines.flatMap((line) =>
    [...line.matchAll(REFERENCE)]
      .map(([reference]) => reference)
      .filter((reference) => !TO_BE_WRITTEN.includes(reference))
      .filter((reference) => !places.some((place) => existsSync(join(place, reference))))
      .filter((reference) => reference.includes('/') || !isNameOfSource(reference))
      .map((reference) => `${path} names ${reference}`),
  );
}

/** Without a folder a name is enough. */
const isNameOfSource = (name: string): boolean =>
  FILES.some((file) => file.path.endsWith(`/${name}`)) ||
  TESTS.some((path) => path.endsWith(`/${name}`));

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

function forbiddenPackages(file: SourceFile): string[] {
  const allowed = MAY_USE[file.room] ?? (PURE_ROOMS.includes(file.room) ? [] : undefined);
  if (allowed === undefined) return [];
  return importsOf(file)
    .filter((target) => !target.startsWith('.'))
    .filter((target) => !allowed.some((name) => target.startsWith(name)))
    .map((target) => `${file.path} must not use ${target}`);
}

function impureLines({ path, room, lines }: SourceFile): string[] {
  if (!PURE_ROOMS.includes(room) || path === MAY_CONVERT) return [];
  return lines.flatMap((line, index) =>
    !isComment(line) && IMPURE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
  );
}

/** "path name" of each function with too many parameters. */
function manyParameters({ path, lines }: SourceFile): string[] {
  const found: string[] = [];
  const visit = (value: unknown, owner: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, owner);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    const node = value as Readonly<Record<string, unknown>>;
    const named = (node['id'] ?? node['key']) as { readonly name?: string } | null | undefined;
    const name = named?.name ?? owner;
    const isFunction = String(node['type']).includes('Function');
    const parameters = isFunction ? (node['params'] as readonly unknown[]) : [];
    if (parameters.length > PARAMETERS_MAX) found.push(`${path} ${name}`);
    for (const member of Object.values(node)) visit(member, name);
  };
  visit(parseSync(path, lines.join('\n')).program.body, '');
  return found;
}
