import { createStore } from '../../shared/store.ts';
import { EMPTY_FORM, type Form } from './form.ts';

/** What stands in the ticket: the book and the chart write into it, too. */
export const ticket = createStore<Form>(EMPTY_FORM, true);

/** Margin ratio after the order in the ticket, as the venue foresees it. */
export const ratioAfter = createStore<string | undefined>(undefined);
