import { expect, it } from 'vitest';
import { isFileHost, isInternal } from '../outgoing/network-addresses.ts';
import { createFileHosts } from './file-hosts.ts';

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.1.2.3',
  '::ffff:a01:203',
  '64:ff9b::a01:203',
  '2002:a01:203::1',
  'fd00::1',
  'fe80::1%eth0',
  'ff02::1',
])('takes %s for an internal address', (address) => {
  expect(isInternal(address)).toBe(true);
});

it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('takes %s for a public address', (address) => {
  expect(isInternal(address)).toBe(false);
});

it('accepts hosts, addresses and ranges in the configuration, and nothing else', () => {
  const valid = ['files.example.com', 'files.example.com:8443', '10.0.0.7', '10.0.0.7:9000', '10.0.0.0/8', 'fd00::/8'];
  expect([...valid, '::1', '[::1]:9000'].filter((entry) => !isFileHost(entry))).toEqual([]);
  const invalid = ['', 'https://files.example.com', 'files.example.com/a', '10.0.0.0/33', 'a b', '*', 'me@host', 'h/8'];
  expect(invalid.filter(isFileHost)).toEqual([]);
});

it('lists a host with its port, and no other host with the same name or within the same range', () => {
  const hosts = createFileHosts(['Files.example.com', '10.0.0.7:9000', '192.168.0.0/16', '10.0.0.8']);
  const isListed = (url: string) => hosts.findProblem(new URL(url)) === undefined;
  expect(['https://FILES.example.com/a', 'http://10.0.0.7:9000', 'http://10.0.0.8'].every(isListed)).toBe(true);
  const others = [
    'https://files.example.com:8443',
    'https://a.files.example.com',
    'https://files.example.com.evil.com',
  ];
  expect([...others, 'http://10.0.0.7', 'http://10.0.0.8:9', 'http://192.168.0.1'].some(isListed)).toBe(false);
});

/** Resolves every name to these addresses. */
function resolveTo(addresses: readonly string[]): NonNullable<Parameters<typeof createFileHosts>[1]> {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, _options, callback) => callback(null, found);
}

it.each([
  ['a private address', ['10.0.0.7']],
  ['a public and a link-local address', ['8.8.8.8', 'fe80::1']],
])('does not connect to a listed name that leads to %s', async (_what, addresses) => {
  const hosts = createFileHosts(['files.example.com'], resolveTo(addresses));
  await expect(hosts.request(new URL('http://files.example.com/a'))).rejects.toThrow(addresses.at(-1));
});
