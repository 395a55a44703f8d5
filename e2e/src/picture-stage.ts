import type { App } from '@portal/contract/apps';
import type { Page } from 'playwright-core';
import type { Line } from './network-line.ts';

/**
 * Where a picture is taken: a page that is signed in to Production of the demonstration, and a hand
 * on its parts.
 */
export interface Stage {
  readonly page: Page;
  /** Between the page and the portal. */
  readonly line: Line;
  readonly apps: readonly App[];
  /** By the beginning of its name. */
  app(name: string): App;
  /** Sends a payload to a call of the portal as the one who is signed in, and gives its answer. */
  send(call: string, payload: object): Promise<unknown>;
  /** Goes to a route, the connection whole and the platform well. */
  open(route: string): Promise<void>;
  signOut(): Promise<void>;
  /** Troubles the platform until the next `open`. */
  troublePlatform(path: string, mode: 'error500' | 'hang'): Promise<void>;
  /** Makes an app log, and waits for nothing. */
  log(app: App, lines: readonly { readonly key: string; readonly value: string }[]): Promise<void>;
}

/** One picture: its name, and how the screen comes to look so. */
export interface Picture {
  readonly name: string;
  /** Also as a telephone shows it. */
  readonly phone?: true;
  show(stage: Stage): Promise<void>;
}
