/** Withdraws 25 USDT to the saved address and watches it leave. */
import { setTimeout as wait } from 'node:timers/promises';
import { RialtoClient, RialtoError } from 'rialto/client';

const LOOKS = Number(process.argv[3] ?? 60);
const client = await RialtoClient.fromHandout(process.argv[2] ?? './data/handout.json', {
  permission: 'withdraw',
});

const [saved] = await client.withdrawalAddresses({ asset: 'USDT', network: 'Ethereum' });
if (saved === undefined) throw new Error('no address is saved');
const asked = { asset: 'USDT', network: 'Ethereum', address: saved.address, quantity: '25' };
const { estimatedFee } = await client.withdrawalFee({ ...asked, externalFee: 'true' });
console.log(`To ${saved.label}, ${saved.address}: 25 USDT and a fee of ${estimatedFee}.`);

try {
  const { id, status } = await client.withdraw({ ...asked, externalFee: true });
  console.log(`Withdrawal ${id} is ${status}.`);
  let last: string = status;
  for (let look = 0; look < LOOKS && last !== 'COMPLETED'; look++) {
    await wait(250);
    const [now] = await client.withdrawals({ id });
    if (now !== undefined && now.status !== last) {
      last = now.status;
      console.log(`It is ${last}${now.txId === undefined ? '' : `, transaction ${now.txId}`}.`);
    }
  }
} catch (error) {
  // A code of the catalogue that does not exist would not compile.
  if (error instanceof RialtoError && error.hasCode('31001', '35022')) {
    console.log(`Not now: ${error.message}`);
  } else throw error;
}
