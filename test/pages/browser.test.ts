import { afterAll } from 'vitest';
import { closeShared } from './shared-venue.ts';
import './walks/page.ts';
import './walks/first-order.ts';
import './walks/orders.ts';
import './walks/endings.ts';
import './walks/ticket.ts';
import './walks/desk.ts';
import './walks/figures.ts';
import './walks/edges.ts';
import './walks/operators.ts';
import './walks/sessions.ts';
import './walks/addresses.ts';
import './walks/choices.ts';
import './walks/clock.ts';
import './walks/transfers.ts';
import './walks/refusals.ts';
import './walks/routes.ts';
import './walks/console.ts';
import './walks/stale.ts';
// The last: it kills the venue and restarts it.
import './walks/reconnect.ts';

/**
 * What users do, in a real browser on a venue as `npm start` starts it. To run one walk: `-t` and some words
 * of its name.
 */

afterAll(closeShared);
