/**
 * Requests to a JSON-RPC node. Every result is checked before it is used: a value of another shape is
 * `malformed`, an error of the node `refused`. The chain's id is requested first and again after every
 * failure, because another node may answer then.
 */

import { HttpFailure, type HttpLimits, postJson } from './bounded-http.ts';
import { type ChainFault, ChainUnavailable } from './chain.ts';

export type EvmNode = HttpLimits & {
  readonly url: string;
  /** For example a provider's `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** The node understood the request and returned an error. */
export class NodeRefusal extends ChainUnavailable {
  readonly code: number;
  readonly nodeMessage: string;

  constructor(network: string, method: string, code: number, nodeMessage: string) {
    super(network, 'refused', `${method}: ${nodeMessage} (${code})`);
    this.name = 'NodeRefusal';
    this.code = code;
    this.nodeMessage = nodeMessage;
  }
}

export class EvmRpc {
  readonly #network: string;
  readonly #chainId: bigint;
  readonly #node: EvmNode;
  #lastId = 0;
  #isChainChecked = false;

  constructor(network: string, chainId: bigint, node: EvmNode) {
    this.#network = network;
    this.#chainId = chainId;
    this.#node = node;
  }

  /** Undefined for a result of null. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!this.#isChainChecked) await this.checkChain();
    return this.#request(method, params);
  }

  /** Requests the chain's id, even if it was checked before. */
  async checkChain(): Promise<void> {
    this.#isChainChecked = false;
    const chainId = this.quantity(await this.#request('eth_chainId', []), 'a chain id');
    if (chainId !== this.#chainId) {
      throw this.failure('wrong-chain', `the node is of chain ${chainId}, not ${this.#chainId}`);
    }
    this.#isChainChecked = true;
  }

  failure(fault: ChainFault, reason: string): ChainUnavailable {
    return new ChainUnavailable(this.#network, fault, reason);
  }

  quantity(value: unknown, what: string): bigint {
    if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) {
      throw this.failure('malformed', `${what} is no quantity`);
    }
    return BigInt(value);
  }

  /** A height, a nonce, an index: a quantity that a number represents exactly. */
  count(value: unknown, what: string): number {
    const found = Number(this.quantity(value, what));
    if (!Number.isSafeInteger(found)) throw this.failure('malformed', `${what} is out of range`);
    return found;
  }

  hash(value: unknown, what: string): string {
    if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value)) {
      throw this.failure('malformed', `${what} is no hash`);
    }
    return value.toLowerCase();
  }

  record(value: unknown, what: string): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.failure('malformed', `${what} is no object`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  records(value: unknown, what: string): readonly Readonly<Record<string, unknown>>[] {
    if (!Array.isArray(value)) throw this.failure('malformed', `${what} is no list`);
    return value.map((item) => this.record(item, `one of ${what}`));
  }

  async #request(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = await this.#post({ jsonrpc: '2.0', id, method, params });
    const { id: answered, result, error } = this.record(answer, `the answer to ${method}`);
    if (error !== undefined && error !== null) {
      // Providers in front of a node refuse with a text of their own, for example above their rate limit.
      const { code, message } =
        typeof error === 'string'
          ? { code: 0, message: error }
          : this.record(error, `the error of ${method}`);
      const nodeMessage = typeof message === 'string' ? message.slice(0, 200) : 'no message';
      throw new NodeRefusal(
        this.#network,
        method,
        typeof code === 'number' ? code : 0,
        nodeMessage,
      );
    }
    if (answered !== id) throw this.failure('malformed', `${method} is answered for another id`);
    return result ?? undefined;
  }

  async #post(body: object): Promise<unknown> {
    try {
      return await postJson(this.#node.url, body, this.#node, this.#node.headers);
    } catch (error) {
      this.#isChainChecked = false;
      if (error instanceof HttpFailure) throw this.failure(error.fault, error.message);
      throw error;
    }
  }
}
