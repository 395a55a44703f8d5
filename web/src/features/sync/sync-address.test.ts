import { describe, expect, it } from 'vitest';
import { readOverlay, writeOverlay } from './sync-address.ts';

describe('sync page address', () => {
  it.each(['info', 'objects', 'records'] as const)('writes the %s overlay to the address and reads it back', (kind) => {
    const address = writeOverlay({ q: 'farm', page: '2' }, { kind, appId: 'a/1' });
    expect(address).toMatchObject({ q: 'farm', page: '2' });
    expect(readOverlay('', address)).toEqual({ kind, appId: 'a/1' });
  });

  it('opens the log overlay when the route names an app', () => {
    expect(readOverlay('a1', { q: 'farm' })).toEqual({ kind: 'logs', appId: 'a1' });
    expect(writeOverlay({ q: 'farm', info: 'a2' }, { kind: 'logs', appId: 'a1' })).toEqual({ q: 'farm' });
  });

  it('opens an overlay on a tab, and removes all of its parameters when it closes', () => {
    const open = writeOverlay({ sort: '-status' }, { kind: 'records', appId: 'a1', tab: 'parked' });
    expect(open).toEqual({ sort: '-status', records: 'a1', tab: 'parked' });
    expect(writeOverlay({ ...open, 'held.q': 'x', 'objects.page': '2' }, null)).toEqual({ sort: '-status' });
    expect(readOverlay('', { sort: '-status' })).toBeNull();
  });

  it('holds one overlay at a time', () => {
    expect(writeOverlay({ info: 'a1' }, { kind: 'objects', appId: 'a2' })).toEqual({ objects: 'a2' });
  });
});
