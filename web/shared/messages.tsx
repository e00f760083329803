import { RialtoError } from '../../src/client/index.ts';
import { Icon } from './icons.tsx';
import { createStore, useStore } from './store.ts';

/** Messages over the chart: fills and news go by themselves, refusals stay. */
type Message = {
  readonly id: number;
  readonly kind: 'good' | 'bad' | 'info';
  readonly title: string;
  readonly text: string;
};

const SHOWN_MAX = 3;
const SHOWN_MS = 5_000;
const messages = createStore<readonly Message[]>([]);
let nextId = 1;

export function say(kind: Message['kind'], title: string, text = ''): void {
  const id = nextId++;
  messages.update((shown) => {
    const others = shown.filter((one) => one.title !== title || one.text !== text);
    return [{ id, kind, title, text }, ...others].slice(0, SHOWN_MAX);
  });
  if (kind !== 'bad') setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number): void =>
  messages.update((shown) => shown.filter((one) => one.id !== id));

/** The venue's own words, with its code. */
export function reasonText(reason: unknown): string {
  if (reason instanceof RialtoError) return `${reason.code}: ${reason.message}`;
  return reason instanceof Error ? reason.message : String(reason);
}

export const sayRefusal = (title: string, reason: unknown): void =>
  say('bad', title, reasonText(reason));

const ICON_BY_KIND = { good: 'ok', bad: 'warn', info: 'info' } as const;

export function Messages() {
  const shown = useStore(messages, (all) => all);
  return (
    <section className="toasts" aria-label="Messages">
      {shown.map(({ id, kind, title, text }) => (
        <div className="toast" key={id} role={kind === 'bad' ? 'alert' : 'status'}>
          <span className={kind}>
            <Icon name={ICON_BY_KIND[kind]} />
          </span>
          <strong>{title}</strong>
          <button
            type="button"
            className="btn icon s ghost"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="x" />
          </button>
          {text === '' ? null : <p>{text}</p>}
          {kind === 'bad' && text !== '' ? (
            <div className="acts">
              <button
                type="button"
                className="btn s"
                onClick={() => void navigator.clipboard?.writeText(`${title}: ${text}`)}
              >
                Copy details
              </button>
            </div>
          ) : null}
        </div>
      ))}
    </section>
  );
}
