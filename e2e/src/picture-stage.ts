import type { App } from '@portal/contract/apps';
import type { Page } from 'playwright-core';
import type { Line } from './network-line.ts';

/**
 * The environment of a picture: a page signed in to Production of the demo system, with controls
 * for its parts.
 */
export interface Stage {
  readonly page: Page;
  /** The connection between the page and the portal. */
  readonly line: Line;
  readonly apps: readonly App[];
  /** Finds an app by the start of its name. */
  app(name: string): App;
  /** Calls the portal's API with the page's session and returns the response. */
  send(call: string, payload: object): Promise<unknown>;
  /** Opens a route with all connections and platforms working. */
  open(route: string): Promise<void>;
  signOut(): Promise<void>;
  /** Breaks the platform until the next `open`. */
  breakPlatform(path: string, mode: 'error500' | 'hang'): Promise<void>;
  /** Locks a row of an app in Production until the picture is taken. */
  lockRow(app: App, row: { readonly table: string; readonly id: string }): Promise<void>;
  /** Calls this when the picture is taken. */
  afterwards(restore: () => Promise<void>): void;
  /** Makes an app log, without waiting. */
  log(app: App, lines: readonly { readonly key: string; readonly value: string }[]): Promise<void>;
}

/** A picture: its name, and how to bring the screen into this state. */
export interface Picture {
  readonly name: string;
  /** Also takes the picture at phone size. */
  readonly phone?: true;
  show(stage: Stage): Promise<void>;
}
