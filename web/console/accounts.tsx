import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { RESTRICTIONS } from '../../src/domain/terms.ts';
import {
  getAccountOf,
  listFamilies,
  listKeys,
  revokeKey,
  setRestrictions,
} from '../../src/wire/operator-accounts.ts';
import { Ratio } from '../shared/margin-ratio.tsx';
import { linkTo } from '../shared/navigate.ts';
import { isZero, NONE, nativeText, plain, signed, timeText } from '../shared/number-text.ts';
import './accounts.css';
import { ActButton } from './act-button.tsx';
import { ActDialog } from './act-dialog.tsx';
import { type Column, Facts, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Place } from './routes.ts';
import type { Operator } from './session.ts';

type Family = ReplyOf<typeof listFamilies>[number];
type Account = ReplyOf<typeof getAccountOf>;

const PAGE = 100;

/** The tree of families on the left; the chosen account on the right. */
export function Accounts({ operator, subject, query }: Place) {
  const account = useRead(getAccountOf, subject === '' ? undefined : { accountId: subject }, 2_000);
  const named = query.get('family') ?? account.data?.family;
  const [shown, setShown] = useState<string>();
  if (named !== undefined && named !== shown) setShown(named);
  // While another of its accounts is asked for, the family stays, and with it the link that was pressed.
  const listed = useRead(listFamilies, shown === undefined ? undefined : { family: shown }, 2_000);
  const isOfShown = listed.data?.[0]?.accounts.some(({ accountId }) => accountId === subject);
  const wanted = named ?? (isOfShown === true ? shown : undefined);
  return (
    <div className="cols tree-left">
      <div className="stack">
        {wanted === undefined ? null : (
          <FamilyPanel key={wanted} family={wanted} operator={operator} />
        )}
        <Families chosen={wanted} />
      </div>
      {subject === '' ? (
        <p className="nothing">Choose an account, or search for one.</p>
      ) : (
        <div className="stack">
          <AccountPanel account={account} />
          <Keys family={account.data?.family} name={account.data?.name} operator={operator} />
        </div>
      )}
    </div>
  );
}

function Families({ chosen }: { readonly chosen: string | undefined }) {
  const [after, setAfter] = useState<string>();
  const families = useRead(
    listFamilies,
    { limit: String(PAGE), ...(after === undefined ? {} : { afterFamily: after }) },
    5_000,
  );
  const last = families.data?.at(-1)?.family;
  return (
    <Panel title="Families" count={families.data?.length} reads={[families]} everyMs={5_000}>
      <List
        label="Families"
        columns={FAMILIES}
        rows={families.data}
        keyOf={({ family }) => family}
        chosen={chosen}
        empty="No family here."
      />
      <div className="pages">
        {after === undefined ? null : (
          <button type="button" className="btn s" onClick={() => setAfter(undefined)}>
            First
          </button>
        )}
        {families.data?.length === PAGE && last !== undefined ? (
          <button type="button" className="btn s" onClick={() => setAfter(last)}>
            Next {PAGE}
          </button>
        ) : null}
      </div>
    </Panel>
  );
}

const FAMILIES: readonly Column<Family>[] = [
  {
    name: 'Family',
    show: ({ family, accounts: [main] }) => (
      <a className="ref" {...linkTo(`/console/accounts/${main?.accountId ?? ''}`)}>
        {family}
      </a>
    ),
  },
  { name: 'Accounts', isRight: true, show: ({ accounts }) => String(accounts.length) },
  {
    name: 'Restrictions',
    show: ({ restrictions }) =>
      restrictions.length === 0 ? (
        <span className="t3">{NONE}</span>
      ) : (
        <span className="warn">{restrictions.join(', ')}</span>
      ),
  },
];

function FamilyPanel(props: { readonly family: string; readonly operator: Operator }) {
  const { family: name, operator } = props;
  const read = useRead(listFamilies, { family: name }, 2_000);
  const [isChanging, setChanging] = useState(false);
  const family = read.data?.[0];
  return (
    <Panel
      title={`Family ${name}`}
      beside={
        family === undefined ? undefined : (
          <ActButton
            {...{ operator, endpoint: setRestrictions, className: 'btn s' }}
            onClick={() => setChanging(true)}
          >
            Restrictions…
          </ActButton>
        )
      }
      reads={[read]}
      everyMs={2_000}
    >
      {family === undefined ? null : (
        <>
          <ul className="tree" aria-label={`Accounts of ${name}`}>
            {family.accounts.map(({ accountId, name: own }) => (
              <li key={accountId}>
                <a className="ref" {...linkTo(`/console/accounts/${accountId}`)}>
                  {accountId}
                </a>{' '}
                <span className="t2">{own}</span>
              </li>
            ))}
          </ul>
          <Facts
            facts={[
              ['Restrictions', family.restrictions.join(', ') || 'none'],
              ['Second factors', family.secondFactors.join(', ').toLowerCase() || 'none'],
              ['Fee tier', family.feeTier],
              ['Saved addresses only', family.whitelistOnly ? 'yes' : 'no'],
              ['Open withdrawals', family.openWithdrawals],
              ['Vanished deposits', family.vanishedDeposits],
              [
                'Withdrawals blocked until',
                family.blockedUntil === undefined ? NONE : timeText(Number(family.blockedUntil)),
              ],
            ]}
          />
        </>
      )}
      {isChanging && family !== undefined ? (
        <RestrictDialog family={family} operator={operator} onClose={() => setChanging(false)} />
      ) : null}
    </Panel>
  );
}

const MEANING: Readonly<Record<string, string>> = {
  'no-trade': 'no new orders; cancels are taken',
  'no-withdraw': 'nothing leaves, withdrawals wait',
  locked: 'keys and sessions are refused',
  inactive: 'takes part in nothing',
};

/**
 * The whole set is sent: checked restrictions apply, unchecked ones are lifted. What this operator did not touch
 * follows the venue, so that nobody lifts what another has just set.
 */
function RestrictDialog(props: {
  readonly family: Family;
  readonly operator: Operator;
  readonly onClose: () => void;
}) {
  const { family, operator, onClose } = props;
  const [touched, setTouched] = useState<Readonly<Record<string, boolean>>>({});
  const isChosen = (name: (typeof RESTRICTIONS)[number]): boolean =>
    touched[name] ?? family.restrictions.includes(name);
  return (
    <ActDialog
      title={`Restrictions of ${family.family}`}
      verb="Set restrictions"
      isDanger
      hasReason={false}
      operator={operator}
      done={`Restrictions of ${family.family} are set`}
      endpoint={setRestrictions}
      requestOf={() => ({
        family: family.family,
        restrictions: RESTRICTIONS.filter(isChosen),
      })}
      onClose={onClose}
    >
      <fieldset className="radios">
        <legend>They hold for all its accounts</legend>
        {RESTRICTIONS.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={isChosen(name)}
              onChange={(event) =>
                setTouched((before) => ({ ...before, [name]: event.target.checked }))
              }
            />
            <b>{name}</b> <span className="t3">{MEANING[name]}</span>
          </label>
        ))}
      </fieldset>
    </ActDialog>
  );
}

function AccountPanel({
  account,
}: {
  readonly account: ReturnType<typeof useRead<typeof getAccountOf>>;
}) {
  const { data } = account;
  return (
    <Panel
      title={data === undefined ? 'Account' : `Account ${data.accountId}`}
      beside={
        data === undefined ? undefined : (
          <span className={data.active ? 'chip good' : 'chip warn'}>
            {data.active ? 'Active' : 'Inactive'}
          </span>
        )
      }
      reads={[account]}
      everyMs={2_000}
    >
      {data === undefined ? null : (
        <>
          <Facts
            facts={[
              ['Family', `${data.family}, ${data.name}`],
              ['Type', data.accountType.toLowerCase()],
              ['Created', timeText(Number(data.createdAt))],
              [
                'Margin ratio',
                <>
                  <Ratio of={data.marginRatio} />
                  {data.liquidating ? ', liquidating' : ''}
                </>,
              ],
              ['Collateral', `${nativeText(data.collateral)} OX`],
              ['Maintenance margin', `${nativeText(data.maintenanceMargin)} OX`],
              ['Open orders', data.openOrders],
            ]}
          />
          <List
            label="Balances"
            columns={BALANCES}
            rows={data.balances}
            keyOf={({ asset }) => asset}
            empty="No balance."
          />
          <List
            label="Positions"
            columns={POSITIONS}
            rows={data.positions ?? []}
            keyOf={({ marketCode }) => marketCode}
            empty="No position."
          />
        </>
      )}
    </Panel>
  );
}

const BALANCES: readonly Column<Account['balances'][number]>[] = [
  { name: 'Asset', show: ({ asset }) => <b>{asset}</b> },
  { name: 'Total', isRight: true, show: ({ total }) => plain(total) },
  { name: 'Available', isRight: true, from: 'm', show: ({ available }) => plain(available) },
  {
    name: 'Reserved',
    isRight: true,
    show: ({ reserved }) => (isZero(reserved) ? <span className="t3">0</span> : plain(reserved)),
  },
  { name: 'Value OX', isRight: true, from: 'm', show: ({ value }) => nativeText(value) },
  {
    name: 'Collateral OX',
    isRight: true,
    from: 'm',
    show: ({ collateralValue }) => nativeText(collateralValue),
  },
];

const POSITIONS: readonly Column<NonNullable<Account['positions']>[number]>[] = [
  { name: 'Market', show: ({ marketCode }) => <b>{marketCode}</b> },
  { name: 'Position', isRight: true, show: ({ position }) => signed(position, plain) },
  { name: 'Entry', isRight: true, from: 'm', show: ({ entryPrice }) => plain(entryPrice) },
  { name: 'Mark', isRight: true, from: 'm', show: ({ markPrice }) => plain(markPrice) },
  { name: 'PnL OX', isRight: true, show: ({ positionPnl }) => signed(positionPnl, nativeText) },
];

type Key = ReplyOf<typeof listKeys>[number];

function Keys(props: {
  readonly family: string | undefined;
  readonly name: string | undefined;
  readonly operator: Operator;
}) {
  const { family, name, operator } = props;
  const keys = useRead(
    listKeys,
    family === undefined || name === undefined ? undefined : { family, name, limit: '200' },
    5_000,
  );
  const [revoking, setRevoking] = useState<Key>();
  const columns: readonly Column<Key>[] = [
    { name: 'Key', show: ({ accessKey }) => <code>{accessKey}</code> },
    { name: 'May', from: 'm', show: ({ permissions }) => permissions.join(', ') },
    {
      name: 'Ends',
      from: 'm',
      show: ({ expiresAt }) =>
        expiresAt === undefined ? <span className="t3">never</span> : timeText(Number(expiresAt)),
    },
    {
      name: 'Revoke',
      isHeadHidden: true,
      isRight: true,
      show: (key) =>
        key.revoked ? (
          <span className="t3">Revoked</span>
        ) : (
          <ActButton
            {...{ operator, endpoint: revokeKey, className: 'btn s' }}
            onClick={() => setRevoking(key)}
          >
            Revoke…<span className="sr"> key {key.accessKey}</span>
          </ActButton>
        ),
    },
  ];
  return (
    <Panel title="Keys" count={keys.data?.length} reads={[keys]} everyMs={5_000}>
      <List
        label="Keys"
        columns={columns}
        rows={keys.data}
        keyOf={({ accessKey }) => accessKey}
        empty="This account has no key."
      />
      {revoking === undefined ? null : (
        <ActDialog
          title="Revoke a key"
          verb="Revoke"
          isDanger
          hasReason={false}
          operator={operator}
          done="Key revoked"
          endpoint={revokeKey}
          requestOf={() => ({ accessKey: revoking.accessKey })}
          onClose={() => setRevoking(undefined)}
        >
          <p className="note">
            From the answer on, nothing signed with <code>{revoking.accessKey}</code> is taken.
          </p>
        </ActDialog>
      )}
    </Panel>
  );
}
