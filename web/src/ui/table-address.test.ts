import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../lib/address.ts';
import { pageSizes, readTableAddress, writeTableAddress } from './table-address.ts';

const asByDefault = { q: '', sort: null, page: 1, size: null };

describe('the state of a table in the address', () => {
  it('is as by default where the address says nothing, or nonsense', () => {
    expect(readTableAddress({})).toEqual(asByDefault);
    expect(readTableAddress({ page: '-1', size: '7', sort: '-' })).toEqual(asByDefault);
    expect(readTableAddress({ page: '1.5', size: 'all', sort: '' })).toEqual(asByDefault);
  });

  it('leaves out what is as by default, and keeps what belongs to others', () => {
    expect(writeTableAddress({ tab: 'timeouts', q: 'old', page: '3' }, asByDefault)).toEqual({ tab: 'timeouts' });
  });

  it('keeps two tables of one page apart', () => {
    const address = writeTableAddress({ q: 'mine' }, { ...asByDefault, q: 'theirs', page: 2 }, 'events');
    expect(address).toEqual({ q: 'mine', 'events.q': 'theirs', 'events.page': '2' });
    expect(readTableAddress(address).q).toBe('mine');
    expect(readTableAddress(address, 'events')).toEqual({ ...asByDefault, q: 'theirs', page: 2 });
  });

  it('comes back from the address as it went in', () => {
    const table = fc.record({
      q: fc.string(),
      sort: fc.option(fc.record({ id: fc.stringMatching(/^[a-zA-Z]+$/), descending: fc.boolean() }), { nil: null }),
      page: fc.integer({ min: 1, max: 100_000 }),
      size: fc.option(fc.constantFrom(...pageSizes), { nil: null }),
    });
    fc.assert(
      fc.property(table, fc.constantFrom('', 'events'), (state, prefix) => {
        const search = formatAddress(writeTableAddress({ tab: 'x' }, state, prefix));
        expect(readTableAddress(parseAddress(search), prefix)).toEqual(state);
        expect(parseAddress(search).tab).toBe('x');
      }),
    );
  });
});
