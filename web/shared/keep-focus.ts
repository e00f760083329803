/**
 * A control that goes away while it has the focus, such as the button of a row that ends, leaves the focus
 * nowhere, and the keyboard starts again at the top of the page. Here it goes on from what took its place: the
 * same row, else the next one, else the panel around it.
 */

type Kept = {
  readonly control: HTMLElement;
  /** From the nearest on. */
  readonly around: readonly HTMLElement[];
  readonly row: { readonly in: HTMLElement; readonly at: number } | undefined;
  /** Inside a dialog: what had the focus before it. */
  readonly opener: Kept | undefined;
};

/** Whoever removes a control may move the focus itself; that comes first. */
const WAIT_MS = 60;
const ROWS = 'tbody, ul, ol';
const ROOM = 'td, tr, li, .acts';
const PANEL = 'dialog, form, section, article, [role=tabpanel], main';
const CONTROLS = 'button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled)';

let kept: Kept | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    kept = target instanceof HTMLElement ? placeOf(target) : undefined;
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return;
    queueMicrotask(() => {
      if (kept?.control === target && isUsable(kept.control) && isNowhere()) kept = undefined;
    });
  });
  new MutationObserver(() => {
    if (timer !== undefined || kept === undefined || kept.control.isConnected) return;
    timer = setTimeout(restore, WAIT_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

/** If it is, the focus was taken away from it on purpose. While a form is sent its button is disabled. */
const isUsable = (control: HTMLElement): boolean =>
  control.isConnected && !control.matches(':disabled');

const isNowhere = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

function placeOf(control: HTMLElement): Kept {
  const around: HTMLElement[] = [];
  for (let one = control.parentElement; one !== null; one = one.parentElement) around.push(one);
  const rows = control.closest<HTMLElement>(ROWS);
  const at = rows === null ? -1 : [...rows.children].findIndex((row) => row.contains(control));
  const row = rows === null ? undefined : { in: rows, at };
  return { control, around, row, opener: openerOf(control) };
}

function openerOf(control: HTMLElement): Kept | undefined {
  const dialog = control.closest('dialog');
  if (dialog === null) return undefined;
  return kept?.control.closest('dialog') === dialog ? kept.opener : kept;
}

function restore(): void {
  timer = undefined;
  if (kept === undefined || kept.control.isConnected || !isNowhere()) return;
  const isInside = kept.around.some((one) => one.matches('dialog') && one.isConnected);
  const { control, around, row } = isInside ? kept : (kept.opener ?? kept);
  if (isUsable(control)) {
    control.focus({ preventScroll: true });
    return;
  }
  const left = around.find((one) => one.isConnected && one !== document.body);
  const near = left?.closest(ROOM) ?? (row !== undefined && left === row.in ? nextRow(row) : null);
  const next = near?.querySelector<HTMLElement>(CONTROLS);
  const panel = left?.closest<HTMLElement>(PANEL) ?? document.querySelector<HTMLElement>('main');
  focusOn(next ?? panel);
}

const nextRow = ({ in: rows, at }: NonNullable<Kept['row']>): Element | undefined =>
  rows.children[Math.min(at, rows.children.length - 1)];

function focusOn(one: HTMLElement | null | undefined): void {
  if (one === null || one === undefined) return;
  if (one.tabIndex < 0 && !one.hasAttribute('tabindex')) one.tabIndex = -1;
  one.focus({ preventScroll: true });
}
