import { isIP } from 'node:net';

/**
 * Returns the network that a client's address belongs to, as far as one client controls it: an IPv4
 * address is its own network, an IPv6 address belongs to its /64. An IPv4 address written as IPv6
 * is IPv4.
 */
export function toNetwork(address: string): string {
  const [withoutZone = ''] = address.split('%');
  if (isIP(withoutZone) !== 6) return address;
  const groups = toGroups(withoutZone);
  const isMappedIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMappedIpv4)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Returns the eight numbers of an IPv6 address. */
function toGroups(address: string): number[] {
  // The URL parser converts all spellings to one, without dotted numbers at the end.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
