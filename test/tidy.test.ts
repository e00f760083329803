import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** Who may import whom. This table IS the architecture: to add an arrow, change it in review. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  core: ['domain'],
  journal: [],
  engine: ['core', 'journal', 'domain'],
  history: ['domain'],
  wire: ['domain'],
  client: ['wire', 'domain'],
  connectors: ['engine', 'domain'],
  sandbox: ['engine', 'domain'],
  api: ['engine', 'history', 'wire', 'domain'],
};

/** Rooms that are entered through few doors from outside. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  core: [
    'venue.ts',
    'state.ts',
    'views.ts',
    'snapshot.ts',
    'layout.ts',
    'upgrade.ts',
    'audit.ts',
    'requests.ts',
  ],
  engine: [
    'engine.ts',
    'start.ts',
    'verify.ts',
    'cursors.ts',
    'event-log.ts',
    'clock.ts',
    'clock-watch.ts',
    'disk-watch.ts',
    'stamp.ts',
    'ticker.ts',
  ],
  history: ['history.ts', 'open.ts', 'patient.ts', 'worker.ts'],
  api: ['server.ts', 'config.ts'],
  client: ['index.ts'],
};

const PURE_ROOMS = ['domain', 'core'];
const IMPURE = /\bDate\b|Math\.random|setTimeout|\bprocess\b|'node:|\bany\b|\bNumber\(|parseFloat/;
/** Packages each room may use; a pure room uses none. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  wire: ['typebox'],
  api: ['node:', 'pino', 'prom-client', 'typebox'],
  client: [],
  journal: ['node:'],
  engine: ['node:'],
  history: ['node:'],
  connectors: ['node:'],
  sandbox: [],
  cli: ['node:', 'citty'],
};
/** The one file that turns a bigint into a number, with a check. */
const MAY_CONVERT = 'domain/units.ts';
const LINES_MAX = 400;
const BAD_NAME = /(^|[/-])(utils?|helpers?|common|manager|service|base|types)\.ts$/;

type SourceFile = { readonly path: string; readonly room: string; readonly lines: string[] };

const FILES = sourceFiles();

test('imports run down the house, and through the doors', () => {
  expect(FILES.flatMap(forbiddenImports)).toEqual([]);
});

test('domain and core know no clock, no chance, no disk and no network', () => {
  expect(FILES.flatMap(impureLines)).toEqual([]);
});

test('each room uses only the packages it was given', () => {
  expect(FILES.flatMap(forbiddenPackages)).toEqual([]);
});

test('no file is too long, and each is named after what it holds', () => {
  const faults = FILES.flatMap(({ path, lines }) => [
    ...(lines.length > LINES_MAX ? [`${path} has ${lines.length} lines`] : []),
    ...(BAD_NAME.test(path) ? [`${path} says nothing about what it holds`] : []),
  ]);
  expect(faults).toEqual([]);
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
      if (room === file.room) return [];
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
  const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);
  return lines.flatMap((line, index) =>
    !isComment(line) && IMPURE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
  );
}
