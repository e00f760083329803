import { useState } from 'react';
import { requestWithdrawal } from '../../../src/wire/withdrawals.ts';
import { Ratio } from '../../shared/margin-ratio.tsx';
import { compare, difference, plain, typedNumber } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { live } from '../../trade/feed.ts';
import { useLiveAccount, useValue } from '../../trade/value.tsx';
import { CodeFields, codeIn, useFactors } from '../parts/code-fields.tsx';
import type { Account } from '../parts/family.ts';
import { ActForm, SelectField, TextField } from '../parts/form.tsx';
import { AmountField, amountFaults, useAmount } from './amount-field.tsx';
import { shortened, usePlace } from './places.tsx';
import type { Unfinished } from './unfinished.ts';

const ANOTHER = '';

/** What leaves, what it costs and what arrives; the fee and the margin after it come from the venue. */
export function Withdraw(props: {
  readonly session: Session;
  readonly unfinished: Unfinished | undefined;
  /** As last read; replaced by the stream's data once it has arrived. */
  readonly own: Account | undefined;
  readonly onSent: (id: string) => void;
}) {
  const { session, unfinished, own, onSent } = props;
  const client = clientOf(session);
  const { asset, network, isOpen, fields } = usePlace('canWithdraw');
  const name = network?.network ?? '';
  const factors = useFactors(session);
  const saved = useQuery(() => client.withdrawalAddresses({}), `${session.accessKey} saved`);
  const isWhitelistOn =
    useQuery(() => client.whitelistMode(), session.accessKey).data?.enabled === true;
  const places = (saved.data ?? []).filter(
    (one) => one.asset === asset && one.network === name && (!isWhitelistOn || one.whitelisted),
  );
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useAmount(asset);
  const keyOf = (place: (typeof places)[number]): string => `${place.address} ${place.memo ?? ''}`;
  const place =
    chosen === ANOTHER ? undefined : (places.find((one) => keyOf(one) === chosen) ?? places[0]);
  const streamed = useStore(live, (state) => state.balances[asset]?.available);
  const read = own?.balances.find((one) => one.asset === asset)?.available;
  // An asset that the account has never held is not listed.
  const available = streamed ?? read ?? (own === undefined ? undefined : '0');
  const needsMemo = unfinished?.networks.find((one) => one.network === name)?.needsMemo === true;
  if (!session.permissions.includes('withdraw')) {
    return (
      <p className="pg-body pg-hint">
        Withdrawals leave from the main account. Transfer to it, then switch to it in the header.
      </p>
    );
  }
  return (
    <ActForm
      label={`Withdraw ${asset}`}
      done="Withdrawal requested"
      isOff={!isOpen}
      faults={amountFaults(typed)}
      act={async (sent) => {
        const memo = place?.memo ?? sent.text('memo');
        const reply = await sendSurely(client, {
          endpoint: requestWithdrawal,
          request: {
            ...{ asset, network: name, externalFee: false },
            quantity: typedNumber(typed) ?? typed,
            address: place?.address ?? sent.text('address'),
            ...(memo === '' ? {} : { memo }),
            ...codeIn(sent),
          },
          onWaiting: sent.onWaiting,
        });
        setTyped('');
        onSent(reply.id);
      }}
    >
      {fields}
      {isOpen || network === undefined ? null : (
        <p className="pg-warning">
          Withdrawals of {asset} by {name} are closed at present.
        </p>
      )}
      <SelectField
        label="To"
        name="saved"
        value={place === undefined ? ANOTHER : keyOf(place)}
        onChoose={setChosen}
        options={[
          ...places.map(
            (one) =>
              [keyOf(one), `${one.label || 'no label'} · ${shortened(one.address)}`] as const,
          ),
          ...(isWhitelistOn ? [] : [[ANOTHER, 'another address'] as const]),
        ]}
        {...(isWhitelistOn && places.length === 0
          ? { hint: 'Only whitelisted addresses are paid to, and none is saved for this network.' }
          : {})}
      />
      {place === undefined && !isWhitelistOn ? (
        <>
          <TextField
            label="Address"
            name="address"
            isCode={true}
            hint="An address that is new waits a day before it is paid to."
          />
          {needsMemo ? <TextField label="Memo, required" name="memo" isCode={true} /> : null}
        </>
      ) : null}
      <AmountField asset={asset} typed={typed} onType={setTyped} available={available} />
      <CodeFields factors={factors.data} />
      <Costs
        {...{ session, asset, network: name, typed, unfinished, own }}
        address={place?.address}
        memo={place?.memo}
      />
    </ActForm>
  );
}

function Costs(props: {
  readonly session: Session;
  readonly asset: string;
  readonly network: string;
  readonly address: string | undefined;
  readonly memo: string | undefined;
  readonly typed: string;
  readonly unfinished: Unfinished | undefined;
  readonly own: Account | undefined;
}) {
  const { session, asset, network, address, memo, unfinished } = props;
  const quantity = typedNumber(props.typed);
  const hasQuantity = quantity !== undefined && Number(quantity) > 0;
  const client = clientOf(session);
  // Without an address yet, the account's deposit address is used for the estimate: the fee is the same for
  // all.
  const cost = useQuery(
    !hasQuantity || network === ''
      ? undefined
      : async () => {
          const own = address ?? (await client.depositAddress({ asset, network })).address;
          const ownMemo =
            address === undefined ? (await client.depositAddress({ asset, network })).memo : memo;
          return client.withdrawalFee({
            ...{ asset, network, quantity, address: own },
            ...(ownMemo === undefined ? {} : { memo: ownMemo }),
          });
        },
    `${asset} ${network} ${quantity} ${address}`,
  );
  const ratio = useRatioAfter(
    session,
    hasQuantity ? { asset, quantity: `-${quantity}` } : undefined,
  );
  const value = useValue();
  const fee = hasQuantity ? cost.current?.estimatedFee : undefined;
  const burn = cost.current?.burnFee ?? '0';
  const arrives =
    fee === undefined || quantity === undefined
      ? undefined
      : difference(difference(quantity, fee), burn);
  const left = value(unfinished?.withdrawalLimitLeft);
  const isEnough = arrives !== undefined && compare(arrives, '0') > 0;
  return (
    <dl className="pg-facts pg-lines">
      <div>
        <dt>Fee</dt>
        <dd className="num">
          {fee === undefined ? '—' : plain(fee)} <span>{asset}</span>
        </dd>
      </div>
      <div>
        <dt>Arrives</dt>
        <dd className={isEnough || arrives === undefined ? 'num' : 'num bad'}>
          {arrives === undefined ? '—' : plain(arrives)} <span>{asset}</span>
        </dd>
      </div>
      <RatioLine now={ratio.now ?? props.own?.marginRatio} after={ratio.after} />
      <div>
        <dt>Limit left, 24 h</dt>
        <dd className="num" title={unfinished?.withdrawalLimitLeft}>
          {left.text} <span>{left.unit}</span>
        </dd>
      </div>
    </dl>
  );
}

/** The margin ratio of the signed-in account now, and after a withdrawal. */
export function useRatioAfter(
  session: Session,
  change: { readonly asset: string; readonly quantity: string } | undefined,
  account?: string,
): { readonly now: string | undefined; readonly after: string | undefined } {
  const own = useLiveAccount();
  const estimate = (balances: readonly (typeof change & object)[]) =>
    clientOf(session).estimateMargin({
      ...(account === undefined ? {} : { account }),
      balances: [...balances],
    });
  const key = `${session.accessKey} ratio ${account ?? ''}`;
  const now = useQuery(account === undefined ? undefined : () => estimate([]), key);
  const after = useQuery(
    change === undefined ? undefined : () => estimate([change]),
    `${key} ${change?.asset} ${change?.quantity}`,
  );
  return {
    now: account === undefined ? own?.marginRatio : now.current?.marginRatio,
    after: after.current?.marginRatio,
  };
}

/** 50 stops new risk, 100 is liquidation. */
export const RatioLine = (props: {
  readonly label?: string;
  readonly now: string | undefined;
  readonly after: string | undefined;
}) => {
  const { label = 'Margin ratio', now, after } = props;
  return (
    <div>
      <dt>{label}</dt>
      <dd className="num">
        <Ratio of={now} />
        {after === undefined ? null : (
          <>
            <span className="pg-arrow">→</span>
            <b>
              <Ratio of={after} />
            </b>
          </>
        )}
      </dd>
    </div>
  );
};
