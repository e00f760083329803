import type { OrderText, OrderTexts } from '../../domain/order-layout.ts';
import { NAME_LIST, TEXT_LIST } from '../../domain/order-texts.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';

/** Texts of orders as sent, by the table of domain/order-layout.ts. */
type Sent = Readonly<Record<string, unknown>>;
type Text = OrderText & { readonly name: string };

/** The texts of a new order; undefined when it has none. */
export const readTexts = (sent: Sent): OrderTexts | undefined | Refusal => readAll(sent, TEXT_LIST);

/** The text that names the order; undefined if none does. It may not be combined with an id. */
export function readName(sent: Sent, hasId: boolean): OrderTexts | undefined | Refusal {
  const named = readAll(sent, NAME_LIST);
  const names = named === undefined ? [] : Object.keys(named);
  if (!hasId && names.length <= 1) return named;
  if (named === undefined || 'rejected' in named) return named;
  return refuse(
    'PARAMETER_INVALID',
    `${names[0]} names an order by itself; leave out orderId and clientOrderId`,
  );
}

function readAll(sent: Sent, list: readonly Text[]): OrderTexts | undefined | Refusal {
  let texts: Record<string, string> | undefined;
  for (const text of list) {
    const value = sent[text.name];
    if (value === undefined) continue;
    const fault = faultOf(text, value);
    if (fault !== undefined) return refuse('ORDER_TEXT_INVALID', fault);
    texts = { ...texts, [text.name]: value as string };
  }
  return texts as OrderTexts | undefined;
}

const PRINTABLE = /^[ -~]*$/;

/** What is wrong with it, and what would be right. */
function faultOf({ name, lengthMax }: Text, value: unknown): string | undefined {
  if (typeof value !== 'string') return `${name} ${shortened(JSON.stringify(value))} is no text`;
  if (value === '') return `${name} is empty; leave it out, or send 1 to ${lengthMax} characters`;
  if (!PRINTABLE.test(value)) {
    const nearest = value.replaceAll(/[^ -~]/g, '?').slice(0, lengthMax);
    return `${name} has characters beyond printable ASCII; nearest ${JSON.stringify(nearest)}`;
  }
  if (value.length <= lengthMax) return undefined;
  const nearest = JSON.stringify(value.slice(0, lengthMax));
  return `${name} has ${value.length} characters, at most ${lengthMax}; nearest ${nearest}`;
}
