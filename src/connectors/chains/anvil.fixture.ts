/**
 * A development node (anvil) on its own port, with the test token deployed, and a proxy in front of it that
 * simulates a bad node: down, slow, of another chain, behind, or with any answer a test chooses.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { chainNode } from '../../../scripts/chain-node.ts';
import type { Trouble } from './chain-stage.fixture.ts';

const ROOT = new URL('../../../', import.meta.url);
const TOKEN_FILE = new URL('test/chains/test-token.json', ROOT);

export const CHAIN_ID = 31_337n;
/** Anvil's first account; it deploys the token, so the token's address is always the same. */
const RICH = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const TOKEN_ID = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

/** Undefined if there is none for this platform. */
export function anvilProgram(): string | undefined {
  const found = chainNode();
  return 'program' in found ? found.program : undefined;
}

type Rpc = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };
type Json = Readonly<Record<string, unknown>>;

export class Anvil {
  readonly #program: string;
  #child: ChildProcess;
  #url: string;
  readonly selectors: Readonly<Record<string, string>>;
  readonly #sentById = new Map<string, Json>();
  #snapshot: unknown;
  #restartedAt = 0;

  private constructor(
    program: string,
    { child, url }: Listening,
    selectors: Readonly<Record<string, string>>,
  ) {
    this.#program = program;
    this.#child = child;
    this.#url = url;
    this.selectors = selectors;
  }

  static async start(program: string): Promise<Anvil> {
    const { bytecode, selectors } = JSON.parse(readFileSync(TOKEN_FILE, 'utf8'));
    const anvil = new Anvil(program, await launch(program), selectors);
    await anvil.#send({ data: bytecode });
    await anvil.ask('evm_mine');
    // So that a chain can be reorganised below the start of a test.
    await anvil.mine(5);
    anvil.#snapshot = await anvil.ask('evm_snapshot');
    return anvil;
  }

  /** Changes with each restart. */
  get url(): string {
    return this.#url;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * Kills the process and starts another one from its saved state, including blocks with their hashes. It
   * forgets pending transactions, and the newest blocks if they were not saved yet.
   */
  restart = async (unsavedBlocks: number, whileDown: () => Promise<void>): Promise<void> => {
    const saved = (await this.ask('anvil_dumpState')) as string;
    await this.mine(unsavedBlocks);
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.stop();
    await ended;
    await whileDown();
    const folder = mkdtempSync(join(tmpdir(), 'rialto-anvil-'));
    try {
      const file = join(folder, 'state.json');
      writeFileSync(file, gunzipSync(Buffer.from(saved.slice(2), 'hex')));
      const { child, url } = await launch(this.#program, ['--load-state', file]);
      this.#child = child;
      this.#url = url;
      this.#restartedAt = Number(await this.ask('eth_blockNumber'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  /** Back to the state after the token's deployment. */
  async reset(): Promise<void> {
    await this.ask('anvil_dropAllTransactions');
    await this.ask('evm_revert', [this.#snapshot]);
    this.#snapshot = await this.ask('evm_snapshot');
    await this.ask('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const { result, error } = await this.forward({ id: 1, method, params });
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async forward(request: Rpc): Promise<Json> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...request }),
    });
    return (await response.json()) as Json;
  }

  mine = async (count = 1): Promise<void> => {
    for (let left = count; left > 0; left--) await this.ask('evm_mine');
  };

  pay = async (payment: {
    readonly to: string;
    readonly tokenId?: string | undefined;
    readonly amount: bigint;
  }): Promise<string> => {
    const { to, tokenId, amount } = payment;
    if (tokenId === undefined) return this.#send({ to, value: `0x${amount.toString(16)}` });
    return this.call('transfer(address,uint256)', [to, amount]);
  };

  /** Calls the token. */
  call = (signature: string, args: readonly (string | bigint)[]): Promise<string> => {
    const words = args.map((arg) => BigInt(arg).toString(16).padStart(64, '0'));
    return this.#send({ to: TOKEN_ID, data: `0x${this.selectors[signature]}${words.join('')}` });
  };

  /** After a restart anvil has the earlier blocks, but not the state at each: it cannot go back to them. */
  reorganise = async (wanted: number): Promise<void> => {
    const height = Number(await this.ask('eth_blockNumber'));
    const depth = Math.min(wanted, height - this.#restartedAt);
    if (depth > 0) await this.ask('anvil_reorg', [depth, []]);
    await this.ask('anvil_dropAllTransactions');
  };

  sendAgain = async (txId: string): Promise<void> => {
    await this.ask('eth_sendTransaction', [this.#sentById.get(txId)]);
  };

  forgetWaiting = async (): Promise<void> => {
    await this.ask('anvil_dropAllTransactions');
  };

  /** With an explicit nonce and fees, so that it has the same id when it is sent again. */
  async #send(content: Json): Promise<string> {
    const nonce = await this.ask('eth_getTransactionCount', [RICH, 'pending']);
    const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' };
    const transaction = { from: RICH, nonce, gas: '0x1e8480', ...fees, ...content };
    const txId = (await this.ask('eth_sendTransaction', [transaction])) as string;
    this.#sentById.set(txId, transaction);
    return txId;
  }
}

type Listening = { readonly child: ChildProcess; readonly url: string };

async function launch(program: string, more: readonly string[] = []): Promise<Listening> {
  // Each start creates the first block again; its hash is the same only with a fixed time.
  const own = ['--port', '0', '--no-mining', '--accounts', '1', '--timestamp', '1700000000'];
  const args = [...own, '--chain-id', String(CHAIN_ID), ...more];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  // Also when the run is aborted.
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return { child, url: await listening(child) };
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('anvil has no output');
  for await (const line of createInterface(child.stdout)) {
    const found = /^Listening on (\S+)/.exec(line);
    if (found === null) continue;
    // Its further output is read and discarded, otherwise it would block on a full pipe.
    child.stdout.resume();
    return `http://${found[1]}`;
  }
  throw new Error('anvil ended before it listened');
}

/** Replaces the node's answer; undefined passes the request to the node. */
type Answer = (request: Rpc) => Json | 'hang up' | 'never' | string | undefined;
/** Modifies the node's answer. */
type Alteration = (result: Json, request: Rpc) => Json;

export class BadNode {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #anvil: Anvil;
  #answer: Answer = () => undefined;
  #alteration: Alteration = (result) => result;
  #behindBlocks = 0;
  #deadlines: AbortController[] = [];

  constructor(anvil: Anvil) {
    this.#anvil = anvil;
  }

  async start(): Promise<string> {
    // A connection that closes just when a slow machine reuses it would look like a node that is down.
    this.#server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Replaces a timer: a request times out once the node has decided never to answer it. */
  deadline = (): AbortSignal => {
    const controller = new AbortController();
    this.#deadlines.push(controller);
    return controller.signal;
  };

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  /** Modifies the results of one method. */
  alter(method: string, alteration: (result: Json) => Json): void {
    this.#alteration = (result, request) =>
      request.method === method && result !== null ? alteration(result) : result;
  }

  setTrouble = (trouble: Trouble): void => {
    this.#behindBlocks = typeof trouble === 'object' ? trouble.behindBlocks : 0;
    this.#alteration = (result) => result;
    this.#answer = ({ id, method }) => {
      if (trouble === 'down') return 'hang up';
      if (trouble === 'slow') return 'never';
      if (trouble === 'wrong-chain' && method === 'eth_chainId') return { id, result: '0x1' };
      return undefined;
    };
  };

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as Rpc;
    // A process that does not run hangs up.
    const honest = () => this.#honest(request).catch(() => 'hang up' as const);
    const answer = this.#answer(request) ?? (await honest());
    if (answer === 'hang up') incoming.socket.destroy();
    else if (answer === 'never') for (const each of this.#deadlines.splice(0)) each.abort();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  }

  async #honest(request: Rpc): Promise<Json> {
    if (this.#behindBlocks === 0) {
      const { result, ...rest } = await this.#anvil.forward(request);
      return { ...rest, result: this.#alteration(result as Json, request) };
    }
    const { id, method, params } = request;
    const seen = Number(await this.#anvil.ask('eth_blockNumber')) - this.#behindBlocks;
    if (method === 'eth_getBlockByNumber') {
      const [block, isFull] = params;
      const height = block === 'latest' ? seen : Number(block);
      if (height > seen) return { id, result: null };
      return this.#anvil.forward({ ...request, params: [`0x${height.toString(16)}`, isFull] });
    }
    const answer = await this.#anvil.forward(request);
    const { blockNumber } = (answer['result'] ?? {}) as { readonly blockNumber?: string };
    const isHidden = method === 'eth_getTransactionReceipt' && Number(blockNumber) > seen;
    return isHidden ? { id, result: null } : answer;
  }
}
