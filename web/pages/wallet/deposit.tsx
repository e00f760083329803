import { askerNow } from '../../shared/asker.ts';
import { Icon } from '../../shared/icons.tsx';
import { reasonText } from '../../shared/messages.tsx';
import { plain } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, type Session, testDeposit } from '../../shared/session.ts';
import { useDemoAccounts } from '../../trade/sign-in.tsx';
import { CopyButton, QrCode } from '../parts/copy.tsx';
import { usePlace } from './places.tsx';
import type { Unfinished } from './unfinished.ts';

const TEST_QUANTITY = '1000';

/** The deposit address, and what a payment needs. */
export function Deposit(props: {
  readonly session: Session;
  readonly unfinished: Unfinished | undefined;
  readonly onPaid: () => void;
}) {
  const { session, unfinished, onPaid } = props;
  const { asset, network, isOpen, fields } = usePlace('canDeposit');
  const isDemo = useDemoAccounts().length > 0;
  const name = network?.network;
  const { current: data, failure } = useQuery(
    name === undefined || !isOpen
      ? undefined
      : () => clientOf(session).depositAddress({ asset, network: name }),
    `${session.accessKey} ${asset} ${name} ${isOpen}`,
  );
  const pay = async (): Promise<void> => {
    const asker = askerNow(session);
    try {
      const { accountId } = session;
      await testDeposit({ accountId, asset, network: name ?? '', quantity: TEST_QUANTITY });
      asker.notify('good', `${plain(TEST_QUANTITY)} test ${asset} are on their way`);
      onPaid();
    } catch (reason) {
      asker.notifyRefusal('No test deposit', reason);
    }
  };
  const needed = unfinished?.networks.find((one) => one.network === name)?.confirmationsNeeded;
  return (
    <div className="pg-body">
      {fields}
      {isOpen || name === undefined ? null : (
        <p className="pg-warning" role="status">
          <Icon name="warn" />
          Deposits of {asset} by {name} are closed. Choose another network.
        </p>
      )}
      {failure === undefined ? null : (
        <p className="why" role="alert">
          {reasonText(failure)}
        </p>
      )}
      {data === undefined || failure !== undefined ? (
        <div className="pg-deposit" aria-busy={true} />
      ) : (
        <div className="pg-deposit">
          <QrCode text={data.address} label={`QR code of the ${name} address`} />
          <div className="pg-place">
            <span className="pg-label">Address of {session.name}</span>
            <code>{data.address}</code>
            <CopyButton text={data.address} label="Copy address" />
          </div>
          {data.memo === undefined ? null : (
            <div className="pg-memo">
              <span className="pg-label">Memo</span>
              <code>{data.memo}</code>
              <CopyButton text={data.memo} label="Copy memo" />
              <p>
                <Icon name="warn" /> Required. A payment without this memo cannot be credited by
                itself.
              </p>
            </div>
          )}
        </div>
      )}
      <dl className="pg-facts">
        <div>
          <dt>Minimum</dt>
          <dd className="num">
            {network === undefined ? '—' : plain(network.minDeposit)} <span>{asset}</span>
          </dd>
        </div>
        <div>
          <dt>Credited after</dt>
          <dd className="num">
            {needed ?? '—'} <span>{needed === '1' ? 'confirmation' : 'confirmations'}</span>
          </dd>
        </div>
      </dl>
      <p className="pg-hint">
        Send only {asset} by {name}. Anything else sent to this address may be lost.
      </p>
      {isDemo && data !== undefined ? (
        <button type="button" className="btn tall" onClick={() => void pay()}>
          <Icon name="flask" />
          Send me {plain(TEST_QUANTITY)} test {asset}
        </button>
      ) : null}
    </div>
  );
}
