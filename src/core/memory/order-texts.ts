/**
 * The texts of open orders, beside their rows: by slot, and the slot of every name. An order without
 * texts is not in here, and a flag in its row saves the lookup.
 */
import { assert } from '../../domain/assert.ts';
import type { OrderTexts } from '../../domain/order-layout.ts';
import { namesIn } from '../../domain/order-texts.ts';

export type TextTable = {
  /** By slot. */
  readonly texts: Map<number, OrderTexts>;
  /** "account/name of the text/text" -> slot: names belong to an account, and only open orders have them. */
  readonly slotByName: Map<string, number>;
};

export const newTextTable = (): TextTable => ({ texts: new Map(), slotByName: new Map() });

export function keepTexts(
  table: TextTable,
  slot: number,
  account: number,
  texts: OrderTexts,
): void {
  table.texts.set(slot, texts);
  for (const [name, text] of namesIn(texts)) {
    const key = keyOf(account, name, text);
    assert(!table.slotByName.has(key), 'two open orders of an account share no name');
    table.slotByName.set(key, slot);
  }
}

export function forgetTexts(table: TextTable, slot: number, account: number): void {
  const texts = table.texts.get(slot);
  assert(texts !== undefined, 'the texts of an order lie beside its row');
  table.texts.delete(slot);
  for (const [name, text] of namesIn(texts)) table.slotByName.delete(keyOf(account, name, text));
}

/** The account's open order that one of these texts names, and which text; or undefined. */
export function findNamed(
  table: TextTable,
  account: number,
  texts: OrderTexts,
): { readonly slot: number; readonly name: string; readonly text: string } | undefined {
  for (const [name, text] of namesIn(texts)) {
    const slot = table.slotByName.get(keyOf(account, name, text));
    if (slot !== undefined) return { slot, name, text };
  }
  return undefined;
}

const keyOf = (account: number, name: string, text: string): string => `${account}/${name}/${text}`;
