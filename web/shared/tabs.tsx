import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export type Tab<Name extends string> = {
  readonly name: Name;
  readonly label: ReactNode;
  readonly count?: number;
};

/** One tab stop, arrows between tabs; the panel is labelled by its tab. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly panelId?: string;
  readonly className?: string;
  readonly onChoose: (name: Name) => void;
}) {
  const { label, tabs, chosen, panelId, className = 'tabs', onChoose } = props;
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ name }) => name === chosen);
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -at, End: tabs.length - 1 - at }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const next = (at + move + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab === undefined) return;
    onChoose(tab.name);
    row.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div className={className} role="tablist" aria-label={label} ref={row} onKeyDown={onKeyDown}>
      {tabs.map(({ name, label: text, count }) => (
        <button
          type="button"
          key={name}
          id={`${id}-${name}`}
          className="tab"
          role="tab"
          aria-selected={name === chosen}
          aria-controls={name === chosen ? panelId : undefined}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
          {count === undefined || count === 0 ? null : <span className="count">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** One of a few, as buttons side by side. */
export function Choice<Name extends string>(props: {
  readonly label: string;
  readonly options: readonly {
    readonly name: Name;
    readonly label: ReactNode;
    readonly title?: string;
  }[];
  readonly chosen: Name;
  readonly className: string;
  readonly optionClass?: (name: Name) => string;
  readonly onChoose: (name: Name) => void;
}) {
  const { label, options, chosen, className, optionClass, onChoose } = props;
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const at = options.findIndex(({ name }) => name === chosen);
    const next = (at + move + options.length) % options.length;
    const option = options[next];
    if (option === undefined) return;
    onChoose(option.name);
    row.current?.querySelectorAll<HTMLElement>('[role=radio]')[next]?.focus();
  };
  return (
    <div className={className} role="radiogroup" aria-label={label} ref={row} onKeyDown={onKeyDown}>
      {options.map(({ name, label: text, title }) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio cannot hold what these buttons show
        <button
          type="button"
          key={name}
          role="radio"
          className={optionClass?.(name)}
          aria-checked={name === chosen}
          aria-label={title}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
