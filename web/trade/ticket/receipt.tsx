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
  typedNumber,
  visible,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import { type Form, hasPrice, hasStop, isPerpetual, isStopReached, valueText } from './form.ts';
import type { Preview } from './preview.ts';

/**
 * What the venue says the order would do now. Its rows are always there, so that nothing moves; only an order
 * that would be refused leaves out fills and fees, and the reason takes their space, so that the rest stays
 * visible.
 */
export function Receipt(props: {
  readonly form: Form;
  readonly market: Market;
  readonly preview: Preview | undefined;
  /** It would be refused as it is. */
  readonly isRefused: boolean;
}) {
  const { form, market, preview, isRefused } = props;
  const account = useStore(live, (state) => state.account);
  const isReached = useStore(live, ({ tickers }) =>
    isStopReached(form, tickers[market.marketCode]),
  );
  const position = useStore(live, ({ positions }) => positions[market.marketCode]);
  const decimals = decimalsOf(market.tickSize);
  const isFine = preview !== undefined && preview.refusal === undefined;
  const value = valueText(form, market, market.markPrice);
  const unit = isPerpetual(market) ? 'OX' : market.counter;
  const liquidations = [
    liquidationText(position?.estLiquidationPrice, decimals),
    isFine ? liquidationText(preview.estLiquidationPrice, decimals) : undefined,
  ] as const;
  const print = (text: string): string =>
    isPerpetual(market) ? nativeText(text) : visible(text, 2, plain);
  return (
    <dl className="receipt" aria-label="If placed now">
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
            {isFine && !isReached ? feesText(preview) : NONE}
            {isFine ? <Rate rate={preview.takerFeeRate} /> : null}
          </Row>
          <Row name="Fee if it rests">
            {isFine ? restingFeeText(preview, form, market) : NONE}
            {isFine ? <Rate rate={preview.makerFeeRate} /> : null}
          </Row>
        </>
      )}
      <Row name="Initial margin" unit="OX">
        <FromTo
          from={account === undefined ? undefined : nativeText(account.portfolioVarMargin)}
          to={isFine ? nativeText(preview.portfolioVarMargin) : undefined}
        />
      </Row>
      <Row name="Margin ratio">
        <RatioFromTo from={account?.marginRatio} to={isFine ? preview.marginRatio : undefined} />
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

/**
 * At the venue's rate, at the price that it rests at. The asset it is paid in is known when it is matched.
 */
function restingFeeText(preview: Preview, form: Form, market: Market): string {
  // A stop may take or rest once it has triggered.
  if (hasStop(form)) return NONE;
  const price = hasPrice(form) ? typedNumber(form.price) : undefined;
  const rests = preview.status === 'OPEN' || preview.status === 'PARTIAL_FILL';
  if (price === undefined || !rests || isZero(preview.remainQuantity)) return 'none';
  const value = product(price, preview.remainQuantity);
  const fee = product(isPerpetual(market) ? product(value, '100') : value, preview.makerFeeRate);
  return `${plain(fee, 8)} ${isPerpetual(market) ? 'OX' : market.counter}`;
}

function feesText({ fees }: Preview): string {
  const parts = fees.flatMap((fee) =>
    Object.entries(fee).map(([asset, amount]) => `${plain(amount, 8)} ${asset}`),
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}
