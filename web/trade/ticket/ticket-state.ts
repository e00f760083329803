import { createStore } from '../../shared/store.ts';
import { changed, EMPTY_FORM, type Form } from './form.ts';

/** The contents of the ticket: the book and the chart write into it, too. */
export const ticket = createStore<Form>(EMPTY_FORM, true);

export const changeTicket = (part: Partial<Form>): void =>
  ticket.update((form) => changed(form, part));

/** The margin ratio after the order in the ticket, from the venue's preview. */
export const ratioAfter = createStore<string | undefined>(undefined);

/** On a phone the ticket is a sheet over the page. */
const PHONE = '(max-width: 719px)';
export const isSheet = createStore(false, true);

export const isPhone = (): boolean => matchMedia(PHONE).matches;

export const showTicket = (): void => {
  if (isPhone()) isSheet.set(true);
  else document.getElementById('ticket')?.focus();
};
