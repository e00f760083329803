import { refuseMissingFiles, refuseNewSecrets } from './cluster.ts';
import type { VenueConfig } from './config.ts';
import { knownCatalogue } from './engine/known-catalogue.ts';
import { hasBegun, identityOf } from './identity.ts';
import { givenMasterKey } from './master-key.ts';
import { checkOperators } from './operators.ts';
import { checkParts, refuseWrongKey } from './parts.ts';
import { listenersOf, refuseForeignHost } from './ports.ts';
import { type Seal, sealWith } from './seal.ts';
import { ownWallets } from './standby-wallets.ts';
import { readTls } from './tls.ts';

/**
 * What a start would refuse and what can be found without starting: by the checks of the start itself. Listens on
 * none of its ports and writes nothing. Returns whether there is a venue: what depends on its catalogue is
 * checked only then.
 */
export async function checkStart(config: VenueConfig): Promise<boolean> {
  const { data, cluster, tls } = config;
  if (tls !== undefined) readTls(tls);
  for (const listening of listenersOf(config)) await refuseForeignHost(listening);
  if (cluster !== undefined) refuseMissingFiles(cluster);
  checkParts(data, config, { isOfCluster: cluster !== undefined });
  const masterKey = givenMasterKey(config);
  if (!hasBegun(data)) return false;
  if (cluster !== undefined) refuseNewSecrets(config);
  if (masterKey !== undefined) await checkSecrets(config, sealWith(masterKey));
  return true;
}

async function checkSecrets(config: VenueConfig, seal: Seal): Promise<void> {
  const { data } = config;
  checkOperators(data, seal);
  const known = knownCatalogue(data, identityOf(data).venueId);
  if (known === undefined) return;
  refuseWrongKey(config, known.keys(), seal);
  // A gateway of a cluster has none: chains are the engines'.
  const mayBeGateway = config.cluster !== undefined && Object.keys(config.chains).length === 0;
  if (!mayBeGateway) await ownWallets(known.networks(), config, seal);
}
