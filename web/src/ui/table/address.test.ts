import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../state/address.ts';
import { pageSizes, readTableAddress, writeTableAddress } from './address.ts';

const defaultState = { q: '', sort: null, page: 1, size: null };

describe('table state in the address', () => {
  it('uses the defaults for an empty or invalid address', () => {
    expect(readTableAddress({})).toEqual(defaultState);
    expect(readTableAddress({ page: '-1', size: '7', sort: '-' })).toEqual(defaultState);
    expect(readTableAddress({ page: '1.5', size: 'all', sort: '' })).toEqual(defaultState);
  });

  it('omits defaults and preserves parameters of others', () => {
    expect(writeTableAddress({ tab: 'timeouts', q: 'old', page: '3' }, defaultState)).toEqual({ tab: 'timeouts' });
  });

  it('separates two tables of one page by prefix', () => {
    const address = writeTableAddress({ q: 'mine' }, { ...defaultState, q: 'theirs', page: 2 }, 'events');
    expect(address).toEqual({ q: 'mine', 'events.q': 'theirs', 'events.page': '2' });
    expect(readTableAddress(address).q).toBe('mine');
    expect(readTableAddress(address, 'events')).toEqual({ ...defaultState, q: 'theirs', page: 2 });
  });

  it('round-trips any table state', () => {
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
