import '@fontsource-variable/inter/wght.css';
import './theme/tokens.css';
import './theme/elements.css';
import './theme/layout.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod/mini';
import { App } from './app.tsx';
import { followOtherTabs, resumeSession } from './session/session-store.ts';

// The page's security policy forbids creating code from strings, which zod tries by default.
z.config({ jitless: true });

followOtherTabs();
void resumeSession();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
