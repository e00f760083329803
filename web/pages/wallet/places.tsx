import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import type { getAssets } from '../../../src/wire/market-data.ts';
import { useQuery } from '../../shared/query.ts';
import { publicClient } from '../../shared/session.ts';
import { createStore, useStore } from '../../shared/store.ts';
import { SelectField } from '../parts/form.tsx';

export type Asset = ReplyOf<typeof getAssets>[number];
export type Network = Asset['networkList'][number];

/** The asset of the forms: chosen in one, used in all. */
const chosenAsset = createStore('USDT', true);
export const chooseAsset = (asset: string): void => chosenAsset.set(asset);

const useAssets = (): readonly Asset[] =>
  useQuery(() => publicClient.assets(), 'assets').data ?? [];

/** An asset and its network, as two fields. */
export function usePlace(may: 'canDeposit' | 'canWithdraw') {
  const assets = useAssets().filter(({ networkList }) => networkList.length > 0);
  const asset = useStore(chosenAsset, (code) => code);
  const [name, setName] = useState('');
  const networks = assets.find((one) => one.asset === asset)?.networkList ?? [];
  const network = networks.find((one) => one.network === name) ?? networks[0];
  const fields = (
    <div className="row2">
      <SelectField
        label="Asset"
        name="asset"
        value={asset}
        onChoose={chooseAsset}
        options={assets.map((one) => [one.asset, one.asset])}
      />
      <SelectField
        label="Network"
        name="network"
        value={network?.network ?? ''}
        onChoose={setName}
        options={networks.map((one) => [
          one.network,
          one[may] ? one.network : `${one.network}, closed`,
        ])}
      />
    </div>
  );
  return { asset, network, isOpen: network?.[may] === true, fields };
}

/** "0x5aAe…BeAed" */
export const shortened = (text: string): string =>
  text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text;

export const useChosenAsset = (): string => useStore(chosenAsset, (code) => code);
