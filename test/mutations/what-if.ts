import type { Mutation } from './mutation.ts';

/** Previews of orders and estimates of accounts. */
export const WHAT_IF_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a preview takes orders of the account itself for those of others',
    rule: 'preview and estimate',
    file: 'views/preview.ts',
    find: 'const isOwn = accountOf(this.#state.orders, maker) === this.#placing.accountIndex;',
    replace: 'const isOwn = false;',
  },
  {
    name: 'in a preview an own order that expires goes on counting',
    rule: 'preview and estimate',
    file: 'views/preview.ts',
    find: '    countResting(state, this.#market, own, -openLotsOf(orders, own));\n',
    replace: '',
  },
  {
    name: 'a preview forgets what the order would reserve at a better price',
    rule: 'preview and estimate',
    file: 'views/preview.ts',
    find: '    reprice(state, this.#market, this.#slot, entersAt);\n',
    replace: '',
  },
  {
    name: 'previews and estimates forget that legs are netted',
    rule: 'preview and estimate',
    file: 'views/account-copy.ts',
    find: '  alone.hasSharedBase = state.hasSharedBase;\n',
    replace: '',
  },
  {
    name: 'an estimate counts reduceOnly orders in the margin',
    rule: 'preview and estimate',
    file: 'views/what-if.ts',
    find: 'isReduceOnly: order.reduceOnly === true',
    replace: 'isReduceOnly: false',
  },
];
