import type { ApiOptions, ChainStatus } from './api/server.ts';
import type { ClusterSide } from './engine/start.ts';
import type { Every } from './engine/ticker.ts';

/**
 * What only the leading engine knows: chains and price sources. It reports them to all gateways every second,
 * and answers their requests. Messages may be lost: a report comes again, and a request without an answer
 * ends as if there were no chain.
 */
export type Outside = Pick<
  ApiOptions,
  'depositAddress' | 'chainStatus' | 'sourcePrices' | 'rescan'
>;

type Link = Pick<ClusterSide, 'node' | 'signals'>;
type Address = Awaited<ReturnType<NonNullable<Outside['depositAddress']>>>;
type SourcePrices = ReturnType<NonNullable<Outside['sourcePrices']>>;

type Question = {
  readonly node: string;
  readonly id: number;
  readonly network: string;
  /** The account, if its address is requested. */
  readonly account?: number;
  /** The height from which blocks are to be read again, if that is requested. */
  readonly fromHeight?: number;
};
type Answer = { readonly node: string; readonly id: number; readonly found?: Address };

const REPORT = 'leader-report';
const QUESTION = 'leader-question';
const ANSWER = 'leader-answer';
const REPORT_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;
/** The most requests that may wait; one more is answered as if nobody had. */
const WAITING_MAX = 1_000;
/** A report older than this is called old. */
const OLD_MS = 5_000;

/** Runs at the leading engine; the returned function ends the reports. */
export function sendReports({ signals }: Link, outside: Outside, every: Every): () => void {
  const report = (): void => signals.send(REPORT, reportText(outside));
  signals.subscribe(QUESTION, (text) => {
    const question = parsed<Question>(text);
    if (question === undefined) return;
    const { network, fromHeight } = question;
    // What no node would ask, such as the address of an account that cannot be, is not answered.
    if (fromHeight === undefined) answer(question).catch(() => undefined);
    else if (Number.isSafeInteger(fromHeight) && fromHeight >= 0)
      outside.rescan?.(network, fromHeight);
  });
  const answer = async ({ node, id, network, account = -1 }: Question): Promise<void> => {
    const found = await outside.depositAddress?.(network, account);
    const message: Answer = { node, id, ...(found === undefined ? {} : { found }) };
    signals.send(ANSWER, JSON.stringify(message));
  };
  report();
  return every(REPORT_MS, report);
}

export type ReportClocks = {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly after: (delayMs: number, call: () => void) => () => void;
};

/** Runs at a gateway. */
export function receiveReports({ node, signals }: Link, { nowMs, after }: ReportClocks): Outside {
  let chains: readonly ChainStatus[] = [];
  let prices: SourcePrices = [];
  let receivedAtMs = nowMs();
  let lastId = 0;
  const waiting = new Map<number, (found: Address) => void>();
  signals.subscribe(REPORT, (text) => {
    const report = reportIn(text);
    if (report === undefined) return;
    ({ chains, said: prices } = report);
    receivedAtMs = nowMs();
  });
  signals.subscribe(ANSWER, (text) => {
    const answer = parsed<Answer>(text);
    if (answer?.node === node) waiting.get(answer.id)?.(answer.found);
  });
  const ask = (about: Omit<Question, 'node' | 'id'>): number => {
    const question: Question = { node, id: ++lastId, ...about };
    signals.send(QUESTION, JSON.stringify(question));
    return question.id;
  };
  return {
    chainStatus: () => {
      const ageMs = nowMs() - receivedAtMs;
      if (ageMs < OLD_MS) return chains;
      const trouble = `the engine that leads has said nothing for ${Math.floor(ageMs / 1_000)} s`;
      return chains.map((chain) => ({ ...chain, trouble }));
    },
    sourcePrices: () => prices,
    rescan: (network, fromHeight) => void ask({ network, fromHeight }),
    depositAddress: (network, account) => {
      if (waiting.size >= WAITING_MAX) return undefined;
      return new Promise((resolve) => {
        const id = ask({ network, account });
        const end = (found: Address): void => {
          stop();
          waiting.delete(id);
          resolve(found);
        };
        const stop = after(ANSWER_WITHIN_MS, () => end(undefined));
        waiting.set(id, end);
      });
    },
  };
}

/** Runs at a standby: the hot wallets of the leading engine, each time it reports them. */
export function hearWallets(
  signals: Link['signals'],
  onWallet: (network: string, hotWallet: string) => void,
): void {
  signals.subscribe(REPORT, (text) => {
    const chains: unknown = parsed<Partial<ReportJson>>(text)?.chains;
    for (const chain of Array.isArray(chains) ? chains : []) {
      const { network, hotWallet } = (chain ?? {}) as Partial<ChainStatus>;
      // Leaders of earlier versions report no wallets.
      if (typeof network !== 'string' || typeof hotWallet !== 'string') continue;
      onWallet(network, hotWallet);
    }
  });
}

/** Amounts are integers of any size, which JSON carries as text. */
function reportText({ chainStatus, sourcePrices }: Outside): string {
  const chains = (chainStatus?.() ?? []).map((chain) => ({
    ...chain,
    holdings: chain.holdings.map(({ asset, amount, unswept }) => ({
      ...{ asset, amount: String(amount) },
      ...(unswept === undefined ? {} : { unswept: String(unswept) }),
    })),
  }));
  const said = (sourcePrices?.() ?? []).map((one) => ({ ...one, prices: [...one.prices] }));
  return JSON.stringify({ chains, said });
}

function reportIn(
  text: string,
): { readonly chains: readonly ChainStatus[]; readonly said: SourcePrices } | undefined {
  const report = parsed<ReportJson>(text);
  if (report === undefined) return undefined;
  try {
    const chains = report.chains.map((chain) => ({
      ...chain,
      holdings: chain.holdings.map(({ asset, amount, unswept }) => ({
        ...{ asset, amount: BigInt(amount) },
        ...(unswept === undefined ? {} : { unswept: BigInt(unswept) }),
      })),
    }));
    return { chains, said: report.said.map((one) => ({ ...one, prices: new Map(one.prices) })) };
  } catch {
    return undefined;
  }
}

type HoldingJson = { readonly asset: string; readonly amount: string; readonly unswept?: string };
type ReportJson = {
  readonly chains: readonly (Omit<ChainStatus, 'holdings'> & {
    readonly holdings: readonly HoldingJson[];
  })[];
  /** Named so in messages between nodes, also those of earlier versions. */
  readonly said: readonly (Omit<SourcePrices[number], 'prices'> & {
    readonly prices: readonly (readonly [string, string])[];
  })[];
};

/** Anybody may send to the servers: what is not a valid message is ignored. */
function parsed<Message>(text: string): Message | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as Message) : undefined;
  } catch {
    return undefined;
  }
}
