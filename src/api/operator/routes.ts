import type { Engine } from '../../engine/engine.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { createAccount } from '../../wire/operator-accounts.ts';
import { confirmClock, getClocks } from '../../wire/operator-venue.ts';
import type { Operators } from '../http/authenticate-operator.ts';
import { type Route, route } from '../http/mount.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import { refusalOf } from '../request/outcome.ts';
import { accountRoutes, keyRoutes } from './accounts.ts';
import { caseRoutes } from './cases.ts';
import { withLikelyNames } from './likely-names.ts';
import { marketRoutes, type SourcePrices } from './markets.ts';
import { operatorsRoutes } from './operators.ts';
import { type ReportParts, reportRoutes } from './reports.ts';
import { walletRoutes } from './wallet.ts';

/** What the operator interface consists of. */
export type OperatorParts = ReportParts & {
  /** Creates keys and opens their secrets; passed in, so that the edge never has the master key. */
  readonly keys: KeyMaker;
  readonly operators: Operators;
  /** Sources of index prices; none are shown if absent. */
  readonly sourcePrices?: () => readonly SourcePrices[];
};

/** In the order of their declarations. */
export const operatorRoutes = (parts: OperatorParts): Route[] => {
  const { engine, keys, operators } = parts;
  return [
    ...accountRoutes(engine),
    ...keyRoutes(engine, keys),
    ...marketRoutes(engine, parts.sourcePrices),
    ...walletRoutes(engine, parts),
    ...operatorsRoutes(engine, keys, operators),
    ...clockRoutes(engine),
    ...reportRoutes(parts),
    ...caseRoutes(parts),
  ].map((one) =>
    // What it names is to be created.
    one.endpoint === createAccount ? one : withLikelyNames(one, engine.directory),
  );
};

const clockRoutes = (engine: Engine): Route[] => [
  route(getClocks, () => ({ data: clocksShape(engine) })),

  route(confirmClock, async ({ request, caller }) => {
    // Not remembered as a signed request: it was signed before the clock stepped. Sent again, the clocks
    // agree and it is refused.
    const { outcome } = await engine.submit({
      kind: 'step-clock',
      actor: caller.actor,
      fromMs: engine.nowMs(),
      toMs: Number(request.time),
    });
    return refusalOf(outcome) ?? { data: clocksShape(engine) };
  }),
];

function clocksShape(engine: Engine): ReplyOf<typeof getClocks> {
  const { engineMs, wallMs } = engine.status().clock;
  return { engineTime: String(Math.floor(engineMs)), wallTime: String(Math.floor(wallMs)) };
}
