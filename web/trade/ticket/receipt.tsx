import type { ReactNode } from 'react';
import { ratioText } from '../../shared/margin-grade.ts';
import { Ratio } from '../../shared/margin-ratio.tsx';
import {
  decimalsOf,
  isZero,
  NONE,
  nativeText,
  plain,
  product,
  shown,
  visible,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import type { LiveState } from '../live-state.ts';
import { type Form, hasStop, isPerpetual, isStopReached, valueText } from './form.ts';
import type { Preview } from './preview.ts';
import { effectOf, type Fees, feesText, restingFeeText } from './receipt-words.ts';

/**
 * What the venue says the order would do now. Its rows are always there, so that nothing moves; only an order
 * that would be refused leaves out fills and fees, and the reason takes their space, so that the rest stays
 * visible.
 */
export function Receipt(props: {
  readonly form: Form;
  readonly market: Market;
  readonly preview: Preview | undefined;
  /** The account when the preview came. */
  readonly before: LiveState['account'];
  readonly oldSince: number | undefined;
  /** It would be refused as it is. */
  readonly isRefused: boolean;
}) {
  const { form, market, preview, isRefused, oldSince } = props;
  const now = useStore(live, (state) => state.account);
  const isReached = useStore(live, ({ tickers }) =>
    isStopReached(form, tickers[market.marketCode]),
  );
  const position = useStore(live, ({ positions }) => positions[market.marketCode]);
  const decimals = decimalsOf(market.tickSize);
  const isFine = preview !== undefined && preview.refusal === undefined;
  const effect = isFine ? effectOf(preview, form, market) : { onMargin: false, onRatio: false };
  const account = effect.onRatio ? (props.before ?? now) : now;
  const value = valueText(form, market, market.markPrice);
  const unit = isPerpetual(market) ? 'OX' : market.counter;
  const liquidations = [
    liquidationText(position?.estLiquidationPrice, decimals),
    effect.onMargin ? liquidationText(preview?.estLiquidationPrice, decimals) : undefined,
  ] as const;
  const print = (text: string): string =>
    isPerpetual(market) ? nativeText(text) : visible(text, 2, plain);
  return (
    <dl
      className="receipt"
      aria-label="If placed now"
      data-stale={oldSince === undefined ? undefined : ''}
    >
      {isRefused ? null : (
        <Row name="Fills now">
          {isFine ? fillsText(preview, { form, market, isReached }) : NONE}
        </Row>
      )}
      <Row name="Order value" unit={value === undefined ? undefined : unit}>
        {value === undefined ? NONE : print(value)}
      </Row>
      {isRefused ? null : (
        <>
          <Row name="Fee if filled now">
            {isFine && !isReached ? <Fee {...feesText(preview)} /> : NONE}
            {isFine ? <Rate rate={preview.takerFeeRate} /> : null}
          </Row>
          <Row name="Fee if it rests">
            {isFine ? <Fee {...restingFeeText(preview, form, market)} /> : NONE}
            {isFine ? <Rate rate={preview.makerFeeRate} /> : null}
          </Row>
        </>
      )}
      <Row name="Initial margin" unit="OX">
        <FromTo
          from={account === undefined ? undefined : nativeText(account.portfolioVarMargin)}
          to={effect.onMargin ? nativeText(preview?.portfolioVarMargin) : undefined}
        />
      </Row>
      <Row name="Margin ratio">
        <RatioFromTo
          from={account?.marginRatio}
          to={effect.onRatio ? preview?.marginRatio : undefined}
        />
      </Row>
      {isPerpetual(market) ? (
        <Row
          name="Liquidation price"
          unit={liquidations.every(isNone) ? undefined : market.counter}
        >
          <FromTo from={liquidations[0]} to={liquidations[1]} />
        </Row>
      ) : null}
      {preview?.cut === undefined ? null : (
        <p className="why">{`${preview.cut.code}: ${preview.cut.message}`}</p>
      )}
    </dl>
  );
}

const Row = (props: {
  readonly name: string;
  readonly unit?: string | undefined;
  readonly children: ReactNode;
}) => (
  <div>
    <dt>{props.name}</dt>
    <dd className="num">
      {props.children} {props.unit === undefined ? null : <span className="t3">{props.unit}</span>}
    </dd>
  </div>
);

type Change = { readonly from: string | undefined; readonly to: string | undefined };

function FromTo({ from, to }: Change) {
  if (to === undefined || from === to) return <>{from ?? NONE}</>;
  return (
    <>
      {from ?? NONE}
      <span className="arrow">→</span>
      {to}
    </>
  );
}

function RatioFromTo({ from, to }: Change) {
  if (to === undefined || ratioText(from) === ratioText(to)) return <Ratio of={from} />;
  return (
    <>
      <Ratio of={from} />
      <span className="arrow">→</span>
      <Ratio of={to} />
    </>
  );
}

const isNone = (text: string | undefined): boolean => text === undefined || text === NONE;

const liquidationText = (price: string | undefined, decimals: number): string =>
  price === undefined || Number(price) <= 0 ? NONE : shown(price, decimals);

function fillsText(
  preview: Preview,
  {
    form,
    market,
    isReached,
  }: { readonly form: Form; readonly market: Market; readonly isReached: boolean },
): string {
  if (isZero(preview.filledQuantity)) {
    if (isReached) return 'the stop triggers at once';
    if (hasStop(form)) return 'none, it waits for the stop';
    return preview.status === 'OPEN' ? 'none, it rests' : 'none, it ends at once';
  }
  const size = shown(preview.filledQuantity, decimalsOf(market.minSize));
  const at =
    preview.avgFillPrice === undefined
      ? ''
      : ` at ${shown(preview.avgFillPrice, decimalsOf(market.tickSize))}`;
  const levels = preview.fills.length > 1 ? `, ${preview.fills.length} levels` : '';
  return `${size}${at}${levels}${slippageText(preview)}`;
}

/** The distance of the average from the first price, if it matters. */
function slippageText({ avgFillPrice, fills }: Preview): string {
  const first = Number(fills[0]?.price);
  const part = Math.abs(Number(avgFillPrice) / first - 1) * 100;
  return Number.isFinite(part) && part >= 0.01 ? `, ${part.toFixed(2)} % away` : '';
}

const Rate = ({ rate }: { readonly rate: string }) => (
  <span className="t3"> {plain(product(rate, '100'), 3)} %</span>
);

/** Cut for the eye; whole where the pointer rests. */
const Fee = ({ text, full }: Fees) => <span title={full}>{text}</span>;
