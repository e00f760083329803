import { useState } from 'react';
import { requestTransfer } from '../../../src/wire/transfers.ts';
import { typedNumber } from '../../shared/number-text.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { type Account, isMain } from '../parts/family.ts';
import { ActForm, type Option, SelectField } from '../parts/form.tsx';
import { AmountField, amountFaults, useAmount } from './amount-field.tsx';
import { RatioLine, useRatioAfter } from './withdraw.tsx';

/** From one account of the family to another, with the effect on both. */
export function Transfer(props: {
  readonly session: Session;
  readonly accounts: readonly Account[];
  readonly asset: string;
  readonly from: string;
  readonly onFrom: (accountId: string) => void;
  readonly onAsset: (asset: string) => void;
  readonly onDone: () => void;
}) {
  const { session, accounts, from, onFrom, onAsset, onDone } = props;
  const assets = [...new Set(accounts.flatMap(({ balances }) => balances.map((one) => one.asset)))];
  // Chosen for a deposit it may be one that nobody holds: what is sent must be what the box shows.
  const asset = assets.includes(props.asset) ? props.asset : (assets[0] ?? props.asset);
  const [to, setTo] = useState('');
  const [typed, setTyped] = useAmount(asset);
  const others = accounts.filter(({ accountId }) => accountId !== from);
  const target = others.find(({ accountId }) => accountId === to) ?? others[0];
  const source = accounts.find(({ accountId }) => accountId === from);
  const quantity = typedNumber(typed);
  const hasQuantity = quantity !== undefined && Number(quantity) > 0;
  const out = useRatioAfter(
    session,
    hasQuantity ? { asset, quantity: `-${quantity}` } : undefined,
    from,
  );
  const into = useRatioAfter(
    session,
    hasQuantity && target !== undefined ? { asset, quantity } : undefined,
    target?.accountId ?? from,
  );
  if (!isMain(session)) {
    return (
      <p className="pg-body pg-hint">
        Transfers are made from the main account. Switch to it in the header.
      </p>
    );
  }
  if (accounts.length === 1) {
    return (
      <p className="pg-body pg-hint">There is no other account. Create a sub-account first.</p>
    );
  }
  const named = (list: readonly Account[]): readonly Option[] =>
    list.map(({ accountId, name }) => [accountId, name]);
  const held = source?.balances.find((one) => one.asset === asset);
  return (
    <ActForm
      label="Transfer"
      done="Transferred"
      faults={amountFaults(typed)}
      act={async (sent) => {
        const request = { asset, quantity: quantity ?? typed };
        const places = { fromAccount: from, toAccount: target?.accountId ?? '' };
        const client = clientOf(session);
        await sendSurely(client, {
          endpoint: requestTransfer,
          request: { ...request, ...places },
          onWaiting: sent.onWaiting,
        });
        setTyped('');
        onDone();
      }}
    >
      <div className="row2">
        <SelectField
          label="From"
          name="fromAccount"
          value={from}
          onChoose={onFrom}
          options={named(accounts)}
        />
        <SelectField
          label="To"
          name="toAccount"
          value={target?.accountId ?? ''}
          onChoose={setTo}
          options={named(others)}
        />
      </div>
      <SelectField
        label="Asset"
        name="asset"
        value={asset}
        onChoose={onAsset}
        options={assets.map((code) => [code, code])}
      />
      <AmountField
        asset={asset}
        typed={typed}
        onType={setTyped}
        available={held?.available ?? '0'}
      />
      <dl className="pg-facts pg-lines">
        <RatioLine label={`Margin ratio of ${source?.name ?? '—'}`} {...out} />
        <RatioLine label={`Margin ratio of ${target?.name ?? '—'}`} {...into} />
      </dl>
    </ActForm>
  );
}
