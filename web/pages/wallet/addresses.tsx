import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import { saveWithdrawalAddress } from '../../../src/wire/protection.ts';
import type { getWithdrawalAddresses } from '../../../src/wire/withdrawals.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { useQuery } from '../../shared/query.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { CodeFields, codeIn, useFactors } from '../parts/code-fields.tsx';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { ActForm, CheckField, TextField } from '../parts/form.tsx';
import { shortened, usePlace } from './places.tsx';
import type { Unfinished } from './unfinished.ts';

type Saved = ReplyOf<typeof getWithdrawalAddresses>[number];

/** The family's saved addresses, and whether others may be paid at all. */
export function Addresses(props: {
  readonly session: Session;
  readonly unfinished: Unfinished | undefined;
}) {
  const { session, unfinished } = props;
  const client = clientOf(session);
  const { asset, network, fields } = usePlace('canWithdraw');
  const name = network?.network ?? '';
  const factors = useFactors(session);
  const saved = useQuery(() => client.withdrawalAddresses({}), `${session.accessKey} saved`);
  const mode = useQuery(() => client.whitelistMode(), session.accessKey);
  const [pending, setPending] = useState<Saved | 'whitelist'>();
  const isOn = mode.data?.enabled === true;
  const needsMemo = unfinished?.networks.find((one) => one.network === name)?.needsMemo === true;
  return (
    <div className="pg-body">
      <div className="pg-switch">
        <div>
          <b>Whitelist {isOn ? 'on' : 'off'}</b>
          <span className="t2">
            {isOn ? 'Only whitelisted addresses are paid to.' : 'Any address may be paid to.'}
          </span>
        </div>
        <button type="button" className="btn s" onClick={() => setPending('whitelist')}>
          Turn {isOn ? 'off' : 'on'}
        </button>
      </div>
      {saved.data?.length === 0 ? <p className="pg-hint">No address is saved yet.</p> : null}
      <ul className="pg-places" aria-label="Saved addresses">
        {(saved.data ?? []).map((one) => (
          <li key={`${one.asset} ${one.network} ${one.address} ${one.memo ?? ''}`}>
            <b>{one.label || 'No label'}</b>
            {one.whitelisted ? <span className="chip good">Whitelisted</span> : null}
            <span className="grow" />
            <IconButton
              icon="x"
              label={`Remove ${one.label || one.address}`}
              onClick={() => setPending(one)}
            />
            <span className="t2">
              {one.asset}, {one.network} · <code title={one.address}>{shortened(one.address)}</code>
              {one.memo === undefined ? '' : ` · memo ${one.memo}`}
            </span>
          </li>
        ))}
      </ul>
      <ActForm
        label="Save address"
        done="Address saved: it is paid to a day later"
        act={async (sent) => {
          const memo = sent.text('memo');
          const request = {
            ...{ asset, network: name, address: sent.text('address'), label: sent.text('label') },
            ...(memo === '' ? {} : { memo }),
            ...{ whitelisted: sent.isOn('whitelisted'), ...codeIn(sent) },
          };
          await sendSurely(client, {
            endpoint: saveWithdrawalAddress,
            request,
            onWaiting: sent.onWaiting,
          });
          saved.refetch();
        }}
      >
        {fields}
        <TextField label="Address" name="address" isCode={true} />
        {needsMemo ? <TextField label="Memo, required" name="memo" isCode={true} /> : null}
        <TextField label="Label" name="label" maxLength={40} />
        <CheckField label="Whitelist it" name="whitelisted" />
        <CodeFields factors={factors.data} />
      </ActForm>
      {pending === 'whitelist' ? (
        <ConfirmDialog
          title={`Turn the whitelist ${isOn ? 'off' : 'on'}`}
          label={`Turn ${isOn ? 'off' : 'on'}`}
          done={`Whitelist ${isOn ? 'off' : 'on'}`}
          isDanger={isOn}
          act={async (sent) => {
            await client.setWhitelistMode({ enabled: !isOn, ...codeIn(sent) });
            mode.refetch();
          }}
          onClose={() => setPending(undefined)}
        >
          <p>
            {isOn
              ? 'Then any address may be paid to; one that is new waits a day.'
              : 'Then only whitelisted addresses are paid to. Turning it off needs a code.'}
          </p>
          {isOn ? <CodeFields factors={factors.data} /> : null}
        </ConfirmDialog>
      ) : null}
      {pending === undefined || pending === 'whitelist' ? null : (
        <ConfirmDialog
          title="Remove address"
          label="Remove"
          done="Address removed"
          act={async () => {
            const { asset: code, network: way, address, memo } = pending;
            const place = { asset: code, network: way, address };
            await client.removeWithdrawalAddress({
              ...place,
              ...(memo === undefined ? {} : { memo }),
            });
            saved.refetch();
          }}
          onClose={() => setPending(undefined)}
        >
          <p>
            {pending.label || 'No label'}: <code>{pending.address}</code>
          </p>
          <p className="pg-hint">Saved again it waits a day before it is paid to.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
