import './welcome.css';
import './ticket/ticket.css';
import { useState } from 'react';
import { notifyRefusal } from '../shared/messages.tsx';
import { plain } from '../shared/number-text.ts';
import { type DemoAccount, demoSignIn } from '../shared/session.ts';
import { focusTicket, isSigningIn, useDemoAccounts } from './sign-in.tsx';

const STEPS = [
  { title: 'Pick a price', text: 'Click a level of the order book.' },
  { title: 'Choose a size', text: 'Type it, or move the slider.' },
  {
    title: 'Send',
    text: 'The button says the whole order. It appears in the book and on the chart.',
  },
];

const SHOWN = ['OX', 'USDT', 'BTC'];
const fundsOf = (balances: DemoAccount['balances']): DemoAccount['balances'] =>
  SHOWN.flatMap((asset) => balances.filter((one) => one.asset === asset));

/** In the ticket's place before anyone has signed in: the venue is alive already. */
export function Welcome() {
  const demos = useDemoAccounts();
  const [isSending, setSending] = useState(false);
  const start = async (accountId: string): Promise<void> => {
    setSending(true);
    try {
      await demoSignIn(accountId);
      focusTicket();
    } catch (reason) {
      notifyRefusal('Not signed in', reason);
      setSending(false);
    }
  };
  return (
    <section className="ticket panel" id="ticket" aria-label="Start" tabIndex={-1}>
      <div className="welcome">
        <h2>{demos.length === 0 ? 'Sign in to trade' : 'Trade in one click'}</h2>
        {demos.length === 0 ? (
          <p>The market is live. Orders, positions and balances come with an account.</p>
        ) : (
          <>
            <p>
              This venue is for trying things out: a real matching engine, simulated money. OX is
              its own coin; perpetuals settle in it, 100 to the dollar.
            </p>
            <div className="demo">
              <dl className="kv">
                {fundsOf(demos[0]?.balances ?? []).map(({ asset, total }) => (
                  <div key={asset}>
                    <dt>{asset}</dt>
                    <dd className="num">{plain(total, 2)}</dd>
                  </div>
                ))}
              </dl>
              {demos.map(({ accountId, family }, at) => (
                <button
                  type="button"
                  key={accountId}
                  className={at === 0 ? 'btn primary tall' : 'btn tall'}
                  disabled={isSending}
                  onClick={() => void start(accountId)}
                >
                  Start as {family}
                </button>
              ))}
            </div>
            <p className="or">or</p>
          </>
        )}
        <div className="own">
          <button type="button" className="btn tall" onClick={() => isSigningIn.set(true)}>
            Sign in
          </button>
          <button type="button" className="btn tall" onClick={() => isSigningIn.set('new')}>
            Create account
          </button>
        </div>
        <ol className="steps">
          {STEPS.map(({ title, text }) => (
            <li key={title}>
              <b>{title}</b>
              <span>{text}</span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
