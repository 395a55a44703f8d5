/** Hosts and addresses as a configuration lists them, and which of them are internal. */
import { BlockList, isIP } from 'node:net';

/** Whether this is a name or an address, with or without a port, or a range such as 10.1.0.0/16. */
export function isFileHost(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [address = '', prefix = ''] = entry.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  if (entry.includes('/')) return isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
  return URL.canParse(`https://${entry}`) && /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/i.test(entry);
}

/** Returns the addresses and ranges among these entries. */
export function toAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (isIP(address) === 0) continue;
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Networks that are not part of the public internet. */
const internal = toAddressList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  // Ranges that contain IPv4 addresses, for translation.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Whether an address is private, link-local, of this host, or reserved. */
export function isInternal(address: string): boolean {
  return isWithin(internal, address);
}

export function isWithin(list: BlockList, address: string): boolean {
  const [plain = ''] = address.split('%');
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
