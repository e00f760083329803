import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { listMarkets, setTick, setTiers } from '../../src/wire/operator-markets.ts';
import { plain } from '../shared/number-text.ts';
import { ActButton } from './act-button.tsx';
import { ActDialog, Fld } from './act-dialog.tsx';
import { type Column, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Operator } from './session.ts';

type Market = ReplyOf<typeof listMarkets>[number];
type PendingChange = { readonly market: Market; readonly what: 'tick' | 'tiers' };

/** Tick, sizes and tiers of every market; they can change while the market is halted and empty. */
export function Terms({ operator }: { readonly operator: Operator }) {
  const markets = useRead(listMarkets, {});
  const [pending, setPending] = useState<PendingChange>();
  const change = (market: Market, what: PendingChange['what']) =>
    market.state === 'HALTED' ? (
      <ActButton
        {...{ operator, endpoint: what === 'tick' ? setTick : setTiers, className: 'btn s' }}
        label={`Change the ${what} of ${market.marketCode}`}
        onClick={() => setPending({ market, what })}
      >
        Change
      </ActButton>
    ) : null;
  const columns: readonly Column<Market>[] = [
    { name: 'Market', show: ({ marketCode }) => <b>{marketCode}</b> },
    {
      name: 'Tick',
      isRight: true,
      show: (market) => (
        <>
          {change(market, 'tick')} {plain(market.tickSize)}
        </>
      ),
    },
    { name: 'Lot', isRight: true, from: 'm', show: ({ minSize }) => plain(minSize) },
    { name: 'Largest order', isRight: true, from: 'l', show: ({ maxSize }) => plain(maxSize) },
    {
      name: 'Leverage',
      isRight: true,
      show: ({ tiers: [first] }) =>
        first === undefined ? <span className="t3">spot</span> : `${first.leverage}x`,
    },
    {
      name: 'Tiers',
      isRight: true,
      from: 'm',
      show: (market) => (
        <>
          {market.tiers.length === 0 ? null : change(market, 'tiers')} {market.tiers.length}
        </>
      ),
    },
  ];
  const shared = { operator, onClose: () => setPending(undefined) };
  return (
    <Panel
      title="Terms"
      note="tick and tiers change while a market is halted and empty"
      reads={[markets]}
    >
      <List
        label="Terms of markets"
        columns={columns}
        rows={markets.data}
        keyOf={({ marketCode }) => marketCode}
        empty="The venue has no market."
      />
      {pending?.what === 'tick' ? <TickDialog {...shared} market={pending.market} /> : null}
      {pending?.what === 'tiers' ? <TiersDialog {...shared} market={pending.market} /> : null}
    </Panel>
  );
}

type DialogProps = {
  readonly operator: Operator;
  readonly market: Market;
  readonly onClose: () => void;
};

function TickDialog({ operator, market, onClose }: DialogProps) {
  const { marketCode } = market;
  const [tickSize, setTickSize] = useState(market.tickSize);
  return (
    <ActDialog
      title={`Tick of ${marketCode}`}
      verb={`Set the tick to ${tickSize}`}
      operator={operator}
      isReady={tickSize.trim() !== '' && tickSize !== market.tickSize}
      done={`${marketCode}: tick ${tickSize}`}
      endpoint={setTick}
      requestOf={(reason) => ({ marketCode, tickSize: tickSize.trim(), reason })}
      onClose={onClose}
    >
      <p className="note">
        Trades, orders and candles keep the prices they had; the last price moves to the nearest
        tick.
      </p>
      <Fld label="Tick" name="tickSize">
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={tickSize}
            autoComplete="off"
            onChange={(event) => setTickSize(event.target.value)}
          />
        )}
      </Fld>
    </ActDialog>
  );
}

const TIER = /^(\d{1,4})x?[ :](\d+(?:\.\d+)?)$/;

/** One tier per line: "20x 100000000". Undefined if a line is invalid. */
function tiersIn(text: string): { leverage: string; notionalCap: string }[] | undefined {
  const lines = text.split('\n').map((line) => TIER.exec(line.trim()));
  return lines.every((line) => line !== null)
    ? lines.map((line) => ({ leverage: line[1] ?? '', notionalCap: line[2] ?? '' }))
    : undefined;
}

function TiersDialog({ operator, market, onClose }: DialogProps) {
  const { marketCode } = market;
  const before = market.tiers.map(({ leverage, notionalCap }) => `${leverage}x ${notionalCap}`);
  const [text, setText] = useState(before.join('\n'));
  const tiers = tiersIn(text.trim());
  return (
    <ActDialog
      title={`Tiers of ${marketCode}`}
      verb="Set the tiers"
      operator={operator}
      isReady={tiers !== undefined && text.trim() !== before.join('\n')}
      done={`${marketCode}: ${tiers?.length ?? 0} tiers`}
      endpoint={setTiers}
      requestOf={(reason) => ({ marketCode, tiers: tiers ?? [], reason })}
      onClose={onClose}
    >
      <Fld label="A tier a line: leverage, and up to which notional in OX" name="tiers">
        {(control) => (
          <textarea
            {...control}
            rows={Math.min(12, market.tiers.length + 1)}
            value={text}
            spellCheck={false}
            aria-invalid={tiers === undefined || control['aria-invalid']}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Fld>
    </ActDialog>
  );
}
