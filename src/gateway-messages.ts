import type { MessagePort } from 'node:worker_threads';
import type { Registry } from 'prom-client';
import type { EdgeOptions } from './api/server.ts';
import type { VenueConfig } from './config.ts';
import type { KeyIndex } from './domain/units.ts';
import type { Cursors } from './engine/cursors.ts';
import type { Place } from './history/history.ts';
import type { HistoryMessage } from './history-worker.ts';
import type { CallMessage } from './thread-calls.ts';
import type { TlsPair } from './tls.ts';

/** What a gateway thread gets when it starts. */
export type GatewayWork = {
  /** The index of this thread, from 0. */
  readonly slot: number;
  /** Drawn at random by each start of a thread. */
  readonly node: string;
  readonly config: VenueConfig;
  readonly tls: TlsPair | undefined;
  readonly venueId: string;
  readonly masterKey: Uint8Array;
  readonly historyPlace: Place;
  readonly cursors: Cursors;
  readonly clock: SharedArrayBuffer;
  readonly connections: SharedArrayBuffer;
  /** Stream connections of each thread. */
  readonly listeners: SharedArrayBuffer;
  /** For a `dev` venue. */
  readonly sandboxToken: string | undefined;
  readonly marketSeed: number | undefined;
};

export type ToGateway =
  | CallMessage
  | { readonly kind: 'answers'; readonly bytes: Uint8Array }
  | { readonly kind: 'limits'; readonly text: string }
  | { readonly kind: 'history'; readonly message: HistoryMessage };
export type FromGateway =
  | CallMessage
  | { readonly kind: 'calls'; readonly bytes: Uint8Array }
  | { readonly kind: 'limits'; readonly text: string }
  | { readonly kind: 'log'; readonly line: string }
  /** Keys with a connection whose end cancels their orders, whenever they have changed. */
  | { readonly kind: 'guarded'; readonly keys: readonly KeyIndex[] }
  /** A port to the stream's thread. */
  | { readonly kind: 'feed'; readonly port: MessagePort };

/** The calls that a gateway thread answers. */
export type GatewayCalls = {
  listen(input: { readonly port: number }): Promise<{ readonly port: number }>;
  setTls(tls: TlsPair): void;
  metrics(input: null): ReturnType<Registry['getMetricsAsJSON']>;
  close(input: null): Promise<void>;
  /** Answered by any thread whose event loop runs. */
  ping(input: null): void;
};

/** The calls that the engine's thread answers. */
export type EngineCalls = {
  depositAddress(input: {
    readonly network: string;
    readonly account: number;
  }): ReturnType<NonNullable<EdgeOptions['depositAddress']>>;
  readHeight(network: string): ReturnType<NonNullable<EdgeOptions['readHeight']>>;
  pay(payment: Parameters<Chains['pay']>[0]): ReturnType<Chains['pay']>;
  control(input: {
    readonly network: string;
    readonly what: Parameters<Chains['control']>[1];
  }): ReturnType<Chains['control']>;
};
type Chains = NonNullable<EdgeOptions['sandbox']>['chains'];
