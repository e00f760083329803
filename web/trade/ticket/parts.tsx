import { type KeyboardEvent, useId, useState } from 'react';
import { Check } from '../../shared/check.tsx';
import {
  fixed,
  nativeText,
  plain,
  product,
  sizeWorth,
  stepped,
  toStep,
  typedNumber,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { book, type Market } from '../feed.ts';
import { Field, inBase } from './field.tsx';
import {
  amountOfShare,
  type Faults,
  type Field as FieldName,
  type Form,
  hasPrice,
  hasStop,
  IN_FORCE,
  isPerpetual,
  type Place,
  type Refused,
  shareOfSize,
  sharePrice,
  sizeInBase,
  valueText,
} from './form.ts';

/** The fields of the ticket. */

type PartProps = {
  readonly form: Form;
  readonly market: Market;
  readonly change: (part: Partial<Form>) => void;
};

export function Fields(
  props: PartProps & { readonly faults: Faults; readonly refused: Refused | undefined },
) {
  const { form, market, change, faults, refused } = props;
  const sides = useStore(book, (both) => both);
  const ask = sides.asks[0]?.[0];
  const bid = sides.bids[0]?.[0];
  const price = (value: number | undefined) => () => {
    if (value === undefined) return;
    change({ price: toStep(value.toFixed(8), market.tickSize) });
  };
  const wrong = (name: FieldName): string | undefined =>
    faults[name] ?? (refused?.field === name ? refused.words : undefined);
  const nearest = refused?.nearest;
  const use = (name: FieldName) => (value: string) => change({ [name]: value, ...inBase(name) });
  const arrows = (name: 'price' | 'stopPrice') => (event: KeyboardEvent) => {
    const move = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const typed = typedNumber(form[name]);
    if (move === undefined || typed === undefined) return;
    event.preventDefault();
    const count = move * (event.shiftKey ? 10 : event.altKey ? 100 : 1);
    change({ [name]: stepped(typed, market.tickSize, count) });
  };
  const value = valueText(form, market, market.markPrice);
  const isSpotBuy = !isPerpetual(market) && form.side === 'BUY';
  return (
    <>
      <div className={hasStop(form) && hasPrice(form) ? 'prices two' : 'prices'}>
        {hasStop(form) ? (
          <Field
            name="stopPrice"
            label="Stop price"
            value={form.stopPrice}
            unit={market.counter}
            wrong={wrong('stopPrice')}
            nearest={refused?.field === 'stopPrice' ? nearest : undefined}
            onUse={use('stopPrice')}
            onKeyDown={arrows('stopPrice')}
            onType={(stopPrice) => change({ stopPrice })}
            beside={
              <select
                className="trigger"
                aria-label="Trigger"
                value={form.triggerType}
                onChange={(event) =>
                  change({ triggerType: event.target.value as Form['triggerType'] })
                }
              >
                <option value="MARK_PRICE">Mark</option>
                <option value="LAST_PRICE">Last</option>
              </select>
            }
          />
        ) : null}
        {hasPrice(form) ? (
          <Field
            name="price"
            label={hasStop(form) ? 'Limit' : 'Price'}
            value={form.price}
            unit={market.counter}
            wrong={wrong('price')}
            nearest={refused?.field === 'price' ? nearest : undefined}
            onUse={use('price')}
            onKeyDown={arrows('price')}
            onType={(typed) => change({ price: typed })}
            beside={
              <span className="quick">
                <button type="button" onClick={price(bid)}>
                  Bid
                </button>
                <button
                  type="button"
                  onClick={price(
                    ask === undefined || bid === undefined ? undefined : (ask + bid) / 2,
                  )}
                >
                  Mid
                </button>
                <button type="button" onClick={price(ask)}>
                  Ask
                </button>
              </span>
            }
          />
        ) : null}
      </div>
      <Field
        name="size"
        label={isSpotBuy && form.isAmount ? 'Amount' : 'Size'}
        value={form.size}
        unit={sizeUnit(form, market)}
        wrong={wrong('size')}
        nearest={refused?.field === 'size' ? nearest : undefined}
        onUse={use('size')}
        onType={(size) => change({ size })}
        beside={
          isSpotBuy ? (
            <span className="quick">
              <button
                type="button"
                aria-pressed={form.isAmount}
                onClick={() => change({ isAmount: !form.isAmount, size: '' })}
              >
                By amount
              </button>
            </span>
          ) : (
            <span className="quick t3">
              {value === undefined ? '' : `≈ ${worthText(form, market, value)}`}
              {isPerpetual(market) ? (
                <button
                  type="button"
                  aria-pressed={form.isWorth}
                  onClick={() => change({ isWorth: !form.isWorth, size: otherSize(form, market) })}
                >
                  In OX
                </button>
              ) : null}
            </span>
          )
        }
      />
      {form.hasDisplay && hasPrice(form) ? (
        <Field
          name="display"
          label="Shown in the book"
          value={form.display}
          unit={market.base}
          wrong={wrong('display')}
          nearest={refused?.field === 'display' ? nearest : undefined}
          onUse={use('display')}
          onType={(display) => change({ display })}
        />
      ) : null}
    </>
  );
}

function sizeUnit(form: Form, market: Market): string {
  if (isPerpetual(market)) return form.isWorth ? 'OX' : market.base;
  return form.side === 'BUY' && form.isAmount ? market.counter : market.base;
}

/** The size in the unit in which it was not typed. */
function worthText(form: Form, market: Market, value: string): string {
  if (!isPerpetual(market)) return `${plain(value, 2)} ${market.counter}`;
  return form.isWorth
    ? `${plain(sizeInBase(form, market))} ${market.base}`
    : `${nativeText(value)} OX`;
}

/** The contents of the field after its unit has changed: the same size. */
function otherSize(form: Form, market: Market): string {
  if (typedNumber(form.size) === undefined) return '';
  if (form.isWorth) return sizeInBase(form, market);
  return fixed(valueText(form, market, market.markPrice) ?? '0', 0);
}

/** A share of what could be traded; the venue's preview shows what it means. */
export function Share(props: PartProps & { readonly power: string }) {
  const { form, market, power, change } = props;
  const spent = product(typedNumber(sizeInBase(form, market)) ?? '0', market.markPrice);
  const price = useStore(book, ({ asks }) => sharePrice(form, market, { spent, asks }));
  // The chosen share stays as long as its size does: rounded to lots it may be slightly less.
  const [chosen, setChosen] = useState({ share: 0, size: '' });
  const choose = (part: number): void => {
    const worth = amountOfShare(part, power);
    const at = sharePrice(form, market, { spent: worth, asks: book.get().asks });
    const exact = form.isAmount ? fixed(worth, 2) : sizeWorth(worth, at, market.minSize);
    const size = Number(exact) === 0 ? '' : exact;
    setChosen({ share: part, size });
    change({ size, isWorth: false });
  };
  const isChosen = chosen.size === form.size && !form.isWorth;
  const share = isChosen ? chosen.share : shareOfSize(form, market, power, price);
  return (
    <div className="range">
      <input
        type="range"
        min="0"
        max="100"
        step="1"
        value={share}
        // A share of nothing is not a size.
        disabled={!(Number(power) > 0)}
        aria-label="Share of buying power"
        aria-valuetext={`${share} %`}
        style={{ '--v': `${share}%` } as React.CSSProperties}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <div className="marks" aria-hidden="true">
        <span>0</span>
        <span>25</span>
        <span>50</span>
        <span>75</span>
        <span>100 %</span>
      </div>
    </div>
  );
}

export function Options(props: PartProps & { readonly refused: Refused | undefined }) {
  const { form, market, change, refused } = props;
  const whyId = useId();
  const wrong = (place: Place) =>
    refused?.field === place ? { 'aria-invalid': true, 'aria-describedby': whyId } : {};
  const isHere = ['timeInForce', 'reduceOnly', 'selfTrade'].includes(refused?.field ?? '');
  return (
    <div className="opts">
      {hasPrice(form) ? (
        <label className="pick2">
          <span className="t2">In force</span>
          <select
            {...wrong('timeInForce')}
            value={form.timeInForce}
            onChange={(event) => change({ timeInForce: event.target.value as Form['timeInForce'] })}
          >
            {IN_FORCE.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {isPerpetual(market) ? (
        <Check
          label="Reduce only"
          wrong={wrong('reduceOnly')}
          isOn={form.isReduceOnly}
          onChange={(isReduceOnly) => change({ isReduceOnly })}
        />
      ) : null}
      {hasPrice(form) ? (
        <Check
          label="Iceberg"
          isOn={form.hasDisplay}
          onChange={(hasDisplay) => change({ hasDisplay })}
        />
      ) : null}
      <details className="more">
        <summary className="t2">More</summary>
      </details>
      <div className="more-in">
        <label className="pick2">
          <span className="t2">Own orders meet</span>
          <select
            {...wrong('selfTrade')}
            value={form.selfTrade}
            onChange={(event) => change({ selfTrade: event.target.value as Form['selfTrade'] })}
          >
            <option value="NONE">may trade</option>
            <option value="EXPIRE_MAKER">cancel the resting one</option>
            <option value="EXPIRE_TAKER">cancel the new one</option>
            <option value="EXPIRE_BOTH">cancel both</option>
          </select>
        </label>
      </div>
      {isHere ? (
        <p className="why" id={whyId} role="alert">
          {refused?.words}
        </p>
      ) : null}
    </div>
  );
}
