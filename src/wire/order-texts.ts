import { type TOptional, type TString, Type } from 'typebox';
import type { ORDER_TEXTS, OrderText, TextName } from '../domain/order-layout.ts';
import { NAME_LIST, TEXT_LIST } from '../domain/order-texts.ts';

/** Texts of orders in requests and responses, generated from their table in domain/order-layout.ts. */

/** As sent with a new order. */
export type TextsSent = { readonly [Name in TextName]?: string };
/** Those that name an open order, as sent in place of an id. */
export type NamesSent = {
  readonly [Name in TextName as (typeof ORDER_TEXTS)[Name]['isName'] extends true
    ? Name
    : never]?: string;
};

const limits = ({ lengthMax }: OrderText): string => `1 to ${lengthMax} printable ASCII characters`;

/** Their descriptions, for the members of a new order. */
export const TEXT_MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  TEXT_LIST.map((text) => {
    const unique = text.isName ? '; no two open orders of an account may share it (710009)' : '';
    return [text.name, `extension: ${text.about}, ${limits(text)}${unique}`];
  }),
);

/** The same for the reference to an open order. */
export const NAME_MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  NAME_LIST.map(({ name, about }) => [
    name,
    `extension: ${about}, in place of orderId and clientOrderId`,
  ]),
);

type Shapes<Texts> = { [Name in keyof Texts]-?: TOptional<TString> };

/** As repeated in responses: omitted if an order has none. */
export const TEXT_SHAPES = Object.fromEntries(
  TEXT_LIST.map((text) => [
    text.name,
    Type.Optional(
      Type.String({ description: `extension: ${text.about}; left out where it has none` }),
    ),
  ]),
) as Shapes<TextsSent>;

/** As query parameters that name an order. */
export const NAMES_ASKED = Object.fromEntries(
  NAME_LIST.map((text) => [
    text.name,
    Type.Optional(
      Type.String({
        pattern: `^[ -~]{1,${text.lengthMax}}$`,
        description: `${text.about}, in place of an id; ${limits(text)} (extension)`,
      }),
    ),
  ]),
) as Shapes<NamesSent>;
