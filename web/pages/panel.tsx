import { type ReactNode, useState } from 'react';
import { reasonText, say } from '../shared/messages.tsx';
import { endedBy } from '../shared/session.ts';
import { type Column, Table } from '../shared/table.tsx';

export const Panel = (props: {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className="panel" aria-label={props.title}>
    <div className="bar">
      <h2>{props.title}</h2>
      <span className="grow" />
      {props.beside}
    </div>
    {props.children}
  </section>
);

/** What scrolls must be reachable by keys. */
export const Scroll = (props: { readonly label: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section className="scroll" aria-label={props.label} tabIndex={0}>
    {props.children}
  </section>
);

/** What the venue has listed; while it has not, and where nothing is, the sentence `empty`. */
export const ListPanel = <Row,>(props: {
  readonly title: string;
  readonly scroll: string;
  readonly columns: readonly Column<Row>[];
  readonly asked: { readonly data: readonly Row[] | undefined; readonly failure?: unknown };
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
}) => (
  <Panel title={props.title}>
    <Scroll label={props.scroll}>
      <Table
        label={props.title}
        columns={props.columns}
        rows={props.asked.data ?? []}
        failure={props.asked.failure}
        keyOf={props.keyOf}
        empty={<b>{props.empty}</b>}
      />
    </Scroll>
  </Panel>
);

/** A form that asks the venue: sends once at a time, and shows the venue's own words where it refuses. */
export function ActForm(props: {
  readonly label: string;
  readonly done: string;
  readonly act: (text: (name: string) => string) => Promise<void>;
  readonly children: ReactNode;
}) {
  const { label, done, act, children } = props;
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (isSending) return;
    const sent = new FormData(form);
    setSending(true);
    setFailure(undefined);
    try {
      await act((name) => String(sent.get(name) ?? '').trim());
      form.reset();
      say('good', done);
    } catch (reason) {
      if (!endedBy(reason)) setFailure(reasonText(reason));
    }
    setSending(false);
  };
  return (
    <form
      className="form in2"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      {children}
      {failure === undefined ? null : (
        <p className="why" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" className="btn primary tall" disabled={isSending}>
        {isSending ? 'Sending…' : label}
      </button>
    </form>
  );
}

export const SelectField = (props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}) => (
  <label className="pick2">
    <span className="t2">{props.label}</span>
    <select
      name={props.name}
      {...(props.value === undefined ? {} : { value: props.value })}
      onChange={(event) => props.onChange?.(event.target.value)}
    >
      {props.options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

export const FACTORS = [
  ['GOOGLE', 'Authenticator'],
  ['AUTHY_SECRET', 'Authy'],
  ['YUBIKEY', 'YubiKey'],
] as const;

/** A code of the second factor, where one was typed. */
export const codeOf = (
  text: (name: string) => string,
): { readonly tfaType?: 'GOOGLE'; readonly code?: string } =>
  text('code') === '' ? {} : { tfaType: text('tfaType') as 'GOOGLE', code: text('code') };
