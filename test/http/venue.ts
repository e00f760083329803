import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../../scripts/started-program.ts';
import type { Handout, HandoutAccount, HandoutKey } from '../../src/cli/handout.ts';
import { RialtoClient, RialtoError } from '../../src/client/index.ts';
import { messageToSign } from '../../src/wire/signing.ts';
import { DEV_ARGS } from '../support/dev-args.ts';

/** The program itself, started as users start it, on a free port with its own data. */
export type Venue = {
  readonly baseUrl: string;
  readonly handout: Handout;
  /** Its data folder; another start with it continues from there. */
  readonly data: string;
  /** Asks it to stop and waits until it has. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Kills it, as a power cut would. */
  kill(): Promise<void>;
};

export type { Handout, HandoutAccount, HandoutKey };

export type VenueOptions = {
  /** Data of an earlier venue. */
  readonly data?: string;
  readonly args?: readonly string[];
  /** A byte-identical request contains host and port, so a restart that must accept it keeps them. */
  readonly port?: number;
  /** The maximum number of open files and sockets; by default that of this process. */
  readonly descriptors?: number;
};

const START_WITHIN_MS = 240_000;

export async function startVenue(options: VenueOptions = {}): Promise<Venue> {
  const { data, port = 0, args = [], descriptors } = options;
  const folder = mkdtempSync(join(tmpdir(), 'rialto-http-'));
  const home = data ?? join(folder, 'data');
  const handoutFile = join(folder, 'handout.json');
  const market = args.includes('--market') ? [] : ['--market', 'off'];
  const where = ['--port', String(port), '--data', home, '--handout', handoutFile];
  const all = ['dev', ...where, ...market, ...DEV_ARGS, ...args];
  const program = [process.execPath, PROGRAM, ...all];
  const [command = '', ...rest] =
    descriptors === undefined
      ? program
      : ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, ...program];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  child.stdout?.on('data', (text: Buffer) => output.push(text.toString()));
  child.stderr?.on('data', (text: Buffer) => output.push(text.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const handout = await handoutOf(handoutFile, child, output);
  return {
    baseUrl: handout.baseUrl,
    handout,
    data: home,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The file is written atomically, once the venue listens. */
async function handoutOf(file: string, child: ChildProcess, output: string[]): Promise<Handout> {
  const until = Date.now() + START_WITHIN_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`the venue ended at once:\n${output.join('')}`);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) {
      return JSON.parse(readFileSync(file, 'utf8')) as Handout;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill('SIGKILL');
  throw new Error(`no handout within ${START_WITHIN_MS} ms:\n${output.join('')}`);
}

export function accountOf(venue: Venue, name: string, family = 0): HandoutAccount {
  const found = venue.handout.families[family]?.accounts.find((account) => account.name === name);
  if (found === undefined) throw new Error(`the handout has no ${name}`);
  return found;
}

/** The key of an account with exactly these permissions. */
export function keyOf(account: HandoutAccount, ...permissions: string[]): HandoutKey {
  const wanted = [...permissions].sort().join();
  const found = account.keys.find((key) => [...key.permissions].sort().join() === wanted);
  if (found === undefined) throw new Error(`${account.name} has no key for ${wanted}`);
  return found;
}

export const clientOf = (venue: Venue, key: HandoutKey): RialtoClient =>
  new RialtoClient({
    baseUrl: venue.baseUrl,
    accessKey: key.accessKey,
    secret: key.secret,
    fetch: patientFetch,
    // A test wants to see each response, and what a killed venue does to a request.
    retry: false,
    followClock: false,
    // A thousand concurrent requests take more than the usual half minute on a busy machine.
    timeoutMs: 240_000,
  });

/** On a busy machine history may be more than two seconds behind, and refuses: ask again. */
const patientFetch: typeof fetch = async (input, init) => {
  for (let tries = 1; ; tries++) {
    const response = await fetch(input, init);
    const isRead = init?.method === 'GET';
    if (!isRead || response.status !== 503 || tries === PATIENCE_TRIES) return response;
    if (!(await response.clone().text()).includes('behind')) return response;
  }
};
const PATIENCE_TRIES = 20;

/** A client of `main` with all permissions, or of another account that may trade. */
export function clientFor(venue: Venue, name = 'main', family = 0): RialtoClient {
  const account = accountOf(venue, name, family);
  const permissions = name === 'main' ? ['read', 'trade', 'withdraw'] : ['read', 'trade'];
  return clientOf(venue, keyOf(account, ...permissions));
}

/** The refusal of a call; fails if it was not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<RialtoError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof RialtoError)) throw new Error(`not refused: ${String(thrown)}`);
  return thrown;
}

export type RawCall = {
  readonly key?: HandoutKey;
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  /** What the sender signs as host and sixth part, if different from what it sends. */
  readonly signedHost?: string;
  readonly sixth?: string;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly without?: readonly string[];
};
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly success: boolean;
  readonly code: string;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly data: any;
};

/** A hand-made request, so that every part of it can be wrong. */
export async function rawCall(venue: Venue, call: RawCall): Promise<RawAnswer> {
  const { method = 'GET', path, query = '', body, key } = call;
  const url = `${venue.baseUrl}${path}${query === '' ? '' : `?${query}`}`;
  const headers = {
    ...(key === undefined ? {} : signedHeaders(venue.baseUrl, call, key)),
    ...call.headers,
  };
  for (const name of call.without ?? []) delete (headers as Record<string, string>)[name];
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const json = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, ...json };
}

export function signedHeaders(
  baseUrl: string,
  call: RawCall,
  key: HandoutKey,
): Record<string, string> {
  const { method = 'GET', path, query = '', body = '', nonce = '123' } = call;
  const timestamp = call.timestamp ?? new Date().toISOString();
  const host = call.signedHost ?? new URL(baseUrl).host;
  const sixth = call.sixth ?? query + body;
  const message = messageToSign({ timestamp, nonce, method, host, path, sixth });
  const signature = createHmac('sha256', key.secret).update(message).digest('base64');
  return {
    AccessKey: key.accessKey,
    Timestamp: timestamp,
    Nonce: nonce,
    Signature: signature,
  };
}
