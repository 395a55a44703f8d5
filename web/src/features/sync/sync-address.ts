import { useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Address } from '../../state/address.ts';
import { useAddress } from '../../state/use-address.ts';
import { isSyncState, type SyncState } from '../../sync/severity.ts';

/** The overlays kept in the search parameters. The log of an app has its own route instead. */
const overlayKinds = ['info', 'objects', 'records'] as const;
type OverlayKind = (typeof overlayKinds)[number];

export interface Overlay {
  readonly kind: OverlayKind | 'logs';
  readonly appId: string;
  /** The tab it opens on, if it has tabs. */
  readonly tab?: string;
}

export function readOverlay(appId: string, address: Address): Overlay | null {
  for (const kind of overlayKinds) {
    const id = address[kind];
    if (id) return { kind, appId: id };
  }
  return appId === '' ? null : { kind: 'logs', appId };
}

/**
 * Returns the address with that overlay or, with null, without one. The parameters of the table
 * stay.
 */
export function writeOverlay(address: Address, overlay: Overlay | null): Address {
  const {
    info: _info,
    objects: _objects,
    records: _records,
    tab: _tab,
    find: _find,
    in: _in,
    span: _span,
    ...rest
  } = address;
  const tableAddress = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !/^(objects|held|conflicts|differences|recovery)\./.test(name)),
  );
  if (overlay === null || overlay.kind === 'logs') return tableAddress;
  return { ...tableAddress, [overlay.kind]: overlay.appId, ...(overlay.tab && { tab: overlay.tab }) };
}

/**
 * Returns the open overlay from the address, and a function that opens another or, with null,
 * closes it.
 */
export function useOverlay(): [Overlay | null, (overlay: Overlay | null) => void] {
  const { appid = '' } = useParams({ strict: false });
  const [address] = useAddress();
  const navigate = useNavigate();
  const open = useCallback(
    (overlay: Overlay | null) => {
      void navigate({
        to: '/sync/{-$appid}',
        params: { appid: overlay?.kind === 'logs' ? overlay.appId : undefined },
        search: (current: Address) => writeOverlay(current, overlay),
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [readOverlay(appid, address), open];
}

/**
 * Returns the only state that the list shows, or null for all, and a function that changes it. A
 * change goes back to the first page.
 */
export function useStateFilter(): [SyncState | null, (state: SyncState | null) => void] {
  const [address, setAddress] = useAddress();
  const { state = '' } = address;
  const change = useCallback(
    (next: SyncState | null) =>
      setAddress(({ state: _state, page: _page, ...rest }) => ({ ...rest, ...(next && { state: next }) })),
    [setAddress],
  );
  return [isSyncState(state) ? state : null, change];
}
