type Given = Readonly<Record<string, string>>;

/** An element with attributes and children; text is text, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Given = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A field with its label above it. */
export function field<Control extends HTMLElement>(label: string, control: Control): Control {
  element('label', {}, label, control);
  return control;
}

export const labelled = (control: HTMLElement): HTMLElement => control.parentElement ?? control;

export const button = (words: string, onClick: () => void, style = ''): HTMLButtonElement => {
  const made = element(
    'button',
    { type: 'button', ...(style === '' ? {} : { class: style }) },
    words,
  );
  made.addEventListener('click', onClick);
  return made;
};
