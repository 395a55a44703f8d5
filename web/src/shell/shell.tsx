import { IconArrowsExchange, IconLogout, IconMenu2, IconSearch } from '@tabler/icons-react';
import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useMyApps } from '../session/my-apps.ts';
import { useSession } from '../session/use-session.ts';
import { useDialogLayers } from '../ui/dialog-layers.ts';
import { followHints } from '../ui/hints.ts';
import { useShownFocus } from '../ui/show-focus.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { EnvironmentBand } from './environment-band.tsx';
import { Footer } from './footer.tsx';
import { LastKnownApps } from './last-known-apps.tsx';
import type { Overlay } from './overlay.ts';
import { PageClocks } from './page-clocks.tsx';
import { usePaletteKeys } from './palette/palette-search.ts';
import { ReadOnlyLine } from './read-only-line.tsx';
import { SessionWarning } from './session-warning.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { BarButton, TopBar } from './top-bar.tsx';
import { useShellKeys } from './use-shell-keys.ts';

const loadPalette = () => import('./palette/palette.tsx');
const preloadPalette = () => void loadPalette().catch(() => undefined);

const overlays = {
  panel: lazy(() => import('./panel.tsx')),
  'sign-out': lazy(() => import('./sign-out-modal.tsx')),
  palette: lazy(loadPalette),
  keys: lazy(() => import('./shortcuts-modal.tsx')),
  environment: lazy(() => import('./environment-modal.tsx')),
};

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The frame of every screen: environment band, top bar, sidebar, content, footer. */
export function Shell() {
  const { session } = useSession();
  const [overlay, setOverlay] = useOverlay();
  const main = useRef<HTMLElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  useDialogLayers(frame);
  useShownFocus();
  useEffect(followHints, []);
  useShellKeys(setOverlay, preloadPalette);
  usePaletteKeys(overlay === 'palette');
  useRecentApp();
  const close = () => setOverlay(null);
  const ActiveOverlay = overlay && overlays[overlay];
  return (
    <div ref={frame} className={styles.shell}>
      {/* A button, because a link to #main would change the hash route. */}
      <button type="button" className={styles.skip} data-behind-dialogs onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header className={styles.head}>
        <EnvironmentBand environment={session.environment} />
        <div data-behind-dialogs>
          <TopBar
            badge={`Signed into ${session.environment.name} as ${session.username}`}
            start={
              <BarButton label="Menu" expanded={overlay === 'panel'} onClick={() => setOverlay('panel')}>
                <IconMenu2 size={18} stroke={1.7} aria-hidden />
              </BarButton>
            }
            end={
              <>
                <BarButton label="Find apps and screens" text="Find" onClick={() => setOverlay('palette')}>
                  <IconSearch size={16} stroke={1.7} aria-hidden />
                  <kbd aria-hidden>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
                </BarButton>
                <BarButton label="Switch environment" onClick={() => setOverlay('environment')}>
                  <IconArrowsExchange size={16} stroke={1.7} aria-hidden />
                </BarButton>
                <BarButton label="Sign out" text="Sign out" onClick={() => setOverlay('sign-out')}>
                  <IconLogout size={16} stroke={1.7} aria-hidden />
                </BarButton>
              </>
            }
          />
        </div>
        <ConnectionBanner />
        <LastKnownApps />
        {session.isReadOnly && <ReadOnlyLine />}
      </header>
      <div className={styles.body} data-behind-dialogs>
        <Sidebar isUnavailable={overlay === 'panel'} />
        <div className={styles.content}>
          <main id="main" ref={main} tabIndex={-1} className={styles.main}>
            <Outlet />
          </main>
          <Footer>
            <PageClocks timeZone={session.environment.timeZone} />
          </Footer>
        </div>
      </div>
      <SessionWarning />
      <Suspense>{ActiveOverlay && <ActiveOverlay onClose={close} onOpen={setOverlay} />}</Suspense>
    </div>
  );
}

/**
 * Manages the open overlay and returns the focus to its opener on close, unless something else has
 * taken it.
 */
function useOverlay() {
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const opener = useRef<Element | null>(null);
  const isOpen = overlay !== null;
  useEffect(() => {
    if (!isOpen) return;
    return () => {
      if (opener.current instanceof HTMLElement && isUnfocused(document.activeElement)) opener.current.focus();
    };
  }, [isOpen]);
  const show = useCallback((next: Overlay | null) => {
    setOverlay((current) => {
      if (current === null) opener.current = document.activeElement;
      return next;
    });
  }, []);
  return [overlay, show] as const;
}

function isUnfocused(element: Element | null): boolean {
  return element === null || element === document.body;
}

/** Opening any screen of an app records a visit. */
function useRecentApp(): void {
  const { appid } = useParams({ strict: false });
  const { saveVisit } = useMyApps();
  useEffect(() => {
    if (appid) saveVisit(appid);
  }, [appid, saveVisit]);
}
