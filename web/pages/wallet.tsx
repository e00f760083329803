import { create } from 'qrcode';
import { useState } from 'react';
import { useAsk } from '../shared/ask.ts';
import { say, sayRefusal } from '../shared/messages.tsx';
import { plain, timeText } from '../shared/number-text.ts';
import { clientOf, publicClient, type Session, testDeposit } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { Balances } from '../trade/balances.tsx';
import { live } from '../trade/feed.ts';
import { TextField, useDemoAccounts } from '../trade/sign-in.tsx';
import { ActForm, codeOf, FACTORS, ListPanel, Panel, SelectField } from './panel.tsx';

type Props = { readonly session: Session };

export function WalletPage({ session }: Props) {
  return (
    <>
      <Panel title="Balances">
        <Balances />
      </Panel>
      <div className="cols2">
        <Deposit session={session} />
        <Withdraw session={session} />
        <Transfer session={session} />
        <Addresses session={session} />
      </div>
      <Movements session={session} />
    </>
  );
}

/** Assets with the networks they come and go by. */
function useAssets(): readonly { readonly asset: string; readonly networks: readonly string[] }[] {
  const { data } = useAsk(() => publicClient.assets(), 'assets');
  return (data ?? [])
    .map(({ asset, networkList }) => ({
      asset,
      networks: networkList.map(({ network }) => network),
    }))
    .filter(({ networks }) => networks.length > 0);
}

function usePlace() {
  const assets = useAssets();
  const [asset, setAsset] = useState('USDT');
  const [network, setNetwork] = useState('');
  const networks = assets.find((one) => one.asset === asset)?.networks ?? [];
  const chosen = networks.includes(network) ? network : (networks[0] ?? '');
  const fields = (
    <div className="row2">
      <SelectField
        label="Asset"
        name="asset"
        value={asset}
        onChange={setAsset}
        options={assets.map((one) => [one.asset, one.asset])}
      />
      <SelectField
        label="Network"
        name="network"
        value={chosen}
        onChange={setNetwork}
        options={networks.map((name) => [name, name])}
      />
    </div>
  );
  return { asset, network: chosen, fields };
}

function Deposit({ session }: Props) {
  const { asset, network, fields } = usePlace();
  const isDemo = useDemoAccounts().length > 0;
  const { data, failure } = useAsk(
    network === '' ? undefined : () => clientOf(session).depositAddress({ asset, network }),
    `${asset} ${network}`,
  );
  const pay = async (): Promise<void> => {
    try {
      const { accountId } = session;
      await testDeposit({ accountId, asset, network, quantity: '1000' });
      say('good', `1,000 test ${asset} are on their way`);
    } catch (reason) {
      sayRefusal('No test deposit', reason);
    }
  };
  return (
    <Panel title="Deposit">
      <div className="in2" id="deposit">
        {fields}
        {failure === undefined ? null : <p className="why">{String(failure)}</p>}
        {data === undefined || failure !== undefined ? null : (
          <div className="deposit">
            <QrCode text={data.address} />
            <div className="in2">
              <code>{data.address}</code>
              {data.memo === undefined ? null : (
                <p className="warn">
                  Memo <code>{data.memo}</code>: a payment without it is lost time for everybody.
                </p>
              )}
              <div className="acts2">
                <button
                  type="button"
                  className="btn"
                  onClick={() => void navigator.clipboard?.writeText(data.address)}
                >
                  Copy
                </button>
                {isDemo ? (
                  <button type="button" className="btn primary" onClick={() => void pay()}>
                    Send me 1,000 test {asset}
                  </button>
                ) : null}
              </div>
              <p className="note">
                Send only {asset} by {network} to this address.
              </p>
            </div>
          </div>
        )}
      </div>
    </Panel>
  );
}

function QrCode({ text }: { readonly text: string }) {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  data.forEach((isDark, at) => {
    if (isDark !== 0) path += `M${at % size} ${Math.floor(at / size)}h1v1h-1z`;
  });
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the address"
    >
      <path d={path} />
    </svg>
  );
}

function Withdraw({ session }: Props) {
  const { asset, network, fields } = usePlace();
  const saved = useAsk(() => clientOf(session).withdrawalAddresses({}), session.accessKey);
  const places = (saved.data ?? []).filter((one) => one.asset === asset && one.network === network);
  return (
    <Panel title="Withdraw">
      <div id="withdraw">
        <ActForm
          label="Withdraw"
          done="Withdrawal requested"
          act={async (text) => {
            const place = places.find(({ address }) => address === text('saved'));
            const memo = place?.memo ?? text('memo');
            await clientOf(session).withdraw({
              ...{ asset, network, externalFee: false, quantity: text('quantity') },
              address: place?.address ?? text('address'),
              ...(memo === '' ? {} : { memo }),
              ...codeOf(text),
            });
          }}
        >
          {fields}
          <SelectField
            label="To"
            name="saved"
            options={[
              ...places.map(({ address, label }) => [address, label || address] as const),
              ['', 'another address'],
            ]}
          />
          <TextField label="Another address" name="address" />
          <TextField label="Memo, if it needs one" name="memo" />
          <TextField label="Amount, its fee included" name="quantity" unit={asset} />
          <div className="row2">
            <SelectField label="Code of" name="tfaType" options={FACTORS} />
            <TextField label="Code" name="code" autoComplete="one-time-code" />
          </div>
        </ActForm>
      </div>
    </Panel>
  );
}

function Transfer({ session }: Props) {
  const names = useAsk(() => clientOf(session).accountNames(), session.accessKey);
  const { asset, fields } = usePlace();
  const options = [
    [session.accountId, session.name] as const,
    ...(names.data ?? [])
      .filter(({ accountId }) => accountId !== session.accountId)
      .map(({ accountId, name }) => [accountId, name] as const),
  ];
  return (
    <Panel title="Transfer between accounts">
      <div id="transfer">
        <ActForm
          label="Transfer"
          done="Transferred"
          act={async (text) => {
            await clientOf(session).transfer({
              ...{ asset, quantity: text('quantity') },
              ...{ fromAccount: text('from'), toAccount: text('to') },
            });
          }}
        >
          {fields}
          <div className="row2">
            <SelectField label="From" name="from" options={options} />
            <SelectField label="To" name="to" options={[...options].reverse()} />
          </div>
          <TextField label="Amount" name="quantity" unit={asset} />
        </ActForm>
      </div>
    </Panel>
  );
}

function Addresses({ session }: Props) {
  const { asset, network, fields } = usePlace();
  const { data, failure, again } = useAsk(
    () => clientOf(session).withdrawalAddresses({}),
    session.accessKey,
  );
  type Row = NonNullable<typeof data>[number];
  const columns: readonly Column<Row>[] = [
    { name: 'Label', show: ({ label }) => label || '—' },
    { name: 'Asset', show: (row) => `${row.asset}, ${row.network}` },
    { name: 'Address', show: ({ address }) => <code title={address}>{shortened(address)}</code> },
  ];
  return (
    <Panel title="Saved addresses">
      <Table
        label="Saved addresses"
        {...{ columns, failure }}
        rows={data ?? []}
        keyOf={(row) => `${row.asset} ${row.network} ${row.address} ${row.memo ?? ''}`}
        empty={<b>No address is saved</b>}
      />
      <ActForm
        label="Save address"
        done="Address saved"
        act={async (text) => {
          await clientOf(session).saveWithdrawalAddress({
            ...{ asset, network, address: text('address'), label: text('label') },
            ...codeOf(text),
          });
          again();
        }}
      >
        {fields}
        <TextField label="Address" name="address" />
        <TextField label="Label" name="label" />
        <div className="row2">
          <SelectField label="Code of" name="tfaType" options={FACTORS} />
          <TextField label="Code" name="code" autoComplete="one-time-code" />
        </div>
      </ActForm>
    </Panel>
  );
}

const shortened = (text: string): string =>
  text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;

const CANCELABLE = ['PENDING', 'ON HOLD', 'IN SWEEPING'];

/** Deposits and withdrawals as they stand; the stream says when to look again. */
function Movements({ session }: Props) {
  const changes = useStore(live, (state) => state.walletChanges);
  const client = clientOf(session);
  const deposits = useAsk(
    () => client.deposits({ limit: '50' }),
    `${session.accessKey} ${changes}`,
  );
  const out = useAsk(() => client.withdrawals({ limit: '50' }), `${session.accessKey} ${changes}`);
  type In = NonNullable<typeof deposits.data>[number];
  type Out = NonNullable<typeof out.data>[number];
  const common = [
    { name: 'Asset', show: (row: In | Out) => `${row.asset}, ${row.network}` },
    { name: 'Amount', isRight: true, show: (row: In | Out) => plain(row.quantity) },
    { name: 'Status', show: (row: In | Out) => row.status.toLowerCase() },
  ];
  const cancel = async (id: string): Promise<void> => {
    try {
      await client.cancelWithdrawal({ id });
      out.again();
    } catch (reason) {
      sayRefusal('Not called back', reason);
    }
  };
  const inColumns: readonly Column<In>[] = [
    {
      name: 'Time',
      show: ({ creditedAt }) => <span className="t2">{timeText(Number(creditedAt))}</span>,
    },
    ...common,
  ];
  const outColumns: readonly Column<Out>[] = [
    {
      name: 'Time',
      show: ({ requestedAt }) => <span className="t2">{timeText(Number(requestedAt))}</span>,
    },
    ...common,
    {
      name: 'Actions',
      isHeadHidden: true,
      isRight: true,
      show: ({ id, status }) =>
        CANCELABLE.includes(status) ? (
          <button type="button" className="btn s" onClick={() => void cancel(id)}>
            Call back
          </button>
        ) : null,
    },
  ];
  return (
    <div className="cols2">
      <ListPanel
        title="Deposits"
        scroll="List of deposits"
        columns={inColumns}
        asked={deposits}
        keyOf={({ id }) => id}
        empty="No deposit yet"
      />
      <ListPanel
        title="Withdrawals"
        scroll="List of withdrawals"
        columns={outColumns}
        asked={out}
        keyOf={({ id }) => id}
        empty="No withdrawal yet"
      />
    </div>
  );
}
