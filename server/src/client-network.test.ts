import { describe, expect, it } from 'vitest';
import { toNetwork } from './client-network.ts';

describe('toNetwork', () => {
  it.each([
    ['203.0.113.13', '203.0.113.13'],
    ['::ffff:203.0.113.13', '203.0.113.13'],
    ['::FFFF:cb00:710d', '203.0.113.13'],
    ['2001:db8:1:2::5', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('maps %s to %s', (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });
});
