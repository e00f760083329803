/**
 * Watches how far an account is from liquidation, and where others are liquidated. Orders are refused at a margin ratio
 * of 50, liquidation begins at 100.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { decimals, RialtoClient, RialtoStream } from 'rialto/client';

type Figures = { readonly marginRatio: string; readonly collateral: string };

const file = process.argv[2] ?? './data/handout.json';
const seconds = Number(process.argv[3] ?? 20);
const client = await RialtoClient.fromHandout(file, { permission: 'read' });

const [account] = await client.account();
if (account === undefined) throw new Error('the key has no account');
console.log(`${account.name}: collateral ${account.collateral}, ratio ${account.marginRatio}.`);
for (const { marketCode, position, estLiquidationPrice } of account.positions ?? []) {
  console.log(`  ${position} of ${marketCode}, liquidated at about ${estLiquidationPrice}`);
}
// What a crash would do, computed by the venue.
const [btc] = await client.markets({ marketCode: 'BTC-USD-SWAP-LIN' });
if (btc === undefined) throw new Error('there is no BTC perpetual here');
const price = decimals.round(decimals.multiply(btc.indexPrice, '0.7'), btc.tickSize);
const after = await client.estimateMargin({ prices: [{ asset: 'BTC', price }] });
console.log(`With BTC at ${price}, 30 % lower, the ratio would be ${after.marginRatio}.`);
const past = await client.liquidations({ limit: '10' });
console.log(`${past.length} events of liquidations of this account in the last day.`);

const stream = await RialtoStream.fromHandout(file, { permission: 'read' });
let messages = 0;
let isWarned = false;
stream.subscribe('account:all', ({ data }) => {
  messages++;
  const [figures] = data as readonly Figures[];
  if (figures === undefined || isWarned || decimals.compare(figures.marginRatio, '50') < 0) return;
  isWarned = true;
  console.log(`Warning: ratio ${figures.marginRatio}, collateral ${figures.collateral}.`);
});
stream.subscribe('liquidationRFQ', ({ data }) => {
  console.log(`Liquidation: ${JSON.stringify(data)}`);
});
console.log(`Listening for ${seconds} s ...`);
await wait(seconds * 1_000);
stream.close();
console.log(
  `Heard of the account ${messages} times; ${isWarned ? 'it was in danger' : 'it was safe'}.`,
);
