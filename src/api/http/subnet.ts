/** Whoever has one IPv6 address has 2^64 of them: a /64 counts as one address. */
export function subnetOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:')) return address.slice(7);
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ending = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - ending.length) }, () => '0');
  return [...groups, ...(tail === undefined ? [] : zeros), ...ending].slice(0, 4).join(':');
}
