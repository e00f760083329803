import type { ByteReader, ByteWriter } from '../bytes/pack.ts';
import { assert } from './assert.ts';
import { ORDER_TEXTS, type OrderText, type OrderTexts, type TextName } from './order-layout.ts';

/** The table of texts as a list; the position of a text in it is its number in bytes. */
export const TEXT_LIST: readonly (OrderText & { readonly name: TextName })[] = Object.entries(
  ORDER_TEXTS as Readonly<Record<string, OrderText>>,
).map(([name, text]) => ({ ...text, name: name as TextName }));

/** The texts that name an order. */
export const NAME_LIST = TEXT_LIST.filter(({ isName }) => isName);

/**
 * Texts as bytes: how many words of eight bytes they take, then each text as its number from 1, its length
 * and its characters, padded with zeros. Written only for an order that has some.
 */
export function writeTexts(out: ByteWriter, texts: OrderTexts): void {
  const words = Math.ceil(contentBytes(texts) / WORD_BYTES);
  const start = out.take(words * WORD_BYTES);
  const to = out.fields;
  to.setUint8(start, words);
  let at = start + 1;
  TEXT_LIST.forEach(({ name, lengthMax }, place) => {
    const text = textOf(texts, name);
    if (text === undefined) return;
    assert(text.length > 0 && text.length <= lengthMax, `a ${name} is as long as it may be`);
    to.setUint8(at++, place + 1);
    to.setUint8(at++, text.length);
    for (let i = 0; i < text.length; i++) to.setUint8(at++, text.charCodeAt(i));
  });
  while (at < start + words * WORD_BYTES) to.setUint8(at++, 0);
}

export function readTexts(reader: ByteReader): OrderTexts {
  const words = reader.u8();
  const content = reader.take(words * WORD_BYTES - 1);
  const from = reader.fields;
  const texts: Record<string, string> = {};
  for (let at = content; at < content + words * WORD_BYTES - 1; ) {
    const place = from.getUint8(at++);
    if (place === 0) break;
    const found = TEXT_LIST[place - 1];
    if (found === undefined) throw new Error(`an encoded order holds the unknown text ${place}`);
    const length = from.getUint8(at++);
    let text = '';
    for (let i = 0; i < length; i++) text += String.fromCharCode(from.getUint8(at++));
    texts[found.name] = text;
  }
  return texts as OrderTexts;
}

/** Those of an order's texts that name it, as pairs of member and text. */
export function namesIn(texts: OrderTexts): [name: string, text: string][] {
  return NAME_LIST.flatMap(({ name }) => {
    const text = textOf(texts, name);
    return text === undefined ? [] : [[name, text] as [string, string]];
  });
}

/** Whether an order with these texts is the named one. */
export const isNamed = (texts: OrderTexts | undefined, named: OrderTexts): boolean =>
  namesIn(named).every(([name, text]) => texts !== undefined && textOf(texts, name) === text);

/** A value for every text, for samples. */
export const sampleTexts = (): OrderTexts =>
  Object.fromEntries(TEXT_LIST.map(({ name }) => [name, name[0]])) as OrderTexts;

const textOf = (texts: OrderTexts, name: string): string | undefined =>
  (texts as Readonly<Record<string, string | undefined>>)[name];

const WORD_BYTES = 8;

function contentBytes(texts: OrderTexts): number {
  let bytes = 1;
  for (const { name } of TEXT_LIST) {
    const text = textOf(texts, name);
    if (text !== undefined) bytes += 2 + text.length;
  }
  return bytes;
}
