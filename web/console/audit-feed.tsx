import type { ReplyOf } from '../../src/client/index.ts';
import { listActs } from '../../src/wire/operator-reports.ts';
import { linkTo } from '../shared/navigate.ts';
import { clockText, timeText } from '../shared/number-text.ts';
import './audit.css';
import { Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import { didText, nameOf, standingText, subjectPath, subjectText } from './text.ts';

export type Act = ReplyOf<typeof listActs>[number];

/** The latest acts of operators. */
export function AuditFeed() {
  const acts = useRead(listActs, { limit: '12' });
  return (
    <Panel title="Audit log" className="at-log" to={['/console/audit', 'Open']} reads={[acts]}>
      {acts.data?.length === 0 ? (
        <p className="nothing">No operator has done anything yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section className="scroll" aria-label="Audit log, list" tabIndex={0}>
          <ol className="feed">
            {(acts.data ?? []).map((act) => (
              <li key={act.sequence}>
                <time className="num t3" title={timeText(Number(act.time))}>
                  {clockText(Number(act.time)).slice(0, 5)}
                </time>
                <p>
                  <b>{nameOf(act.actor)}</b> {didText(act)} <Subject subject={act.subject} />
                  <span className="t3 after">{outcomeOf(act)}</span>
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </Panel>
  );
}

/** The change from before to after if that is informative; otherwise the reason. */
function outcomeOf({ before, after, reason }: Act): string {
  const change =
    before === after ? after : [before, after].filter((text) => text !== '').join(' → ');
  return [standingText(change), reason].filter((text) => text !== '').join(' · ');
}

export function Subject({ subject }: { readonly subject: string }) {
  const path = subjectPath(subject);
  const text = subjectText(subject);
  return path === undefined ? (
    <span>{text}</span>
  ) : (
    <a className="ref" {...linkTo(path)}>
      {text}
    </a>
  );
}
