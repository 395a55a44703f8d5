import type { ConsoleMessage, Page } from 'playwright-core';

interface Finding {
  /** The console errors that a test allows; any other fails it. */
  readonly mayBeExpected: boolean;
  readonly text: string;
}

/** Collects violations over all pages of a test. */
export class Trouble {
  #findings: Finding[] = [];
  #expected: RegExp[] = [];

  add(finding: Finding): void {
    this.#findings.push(finding);
  }

  /** Allows matching console errors, e.g. the browser's own message about a 401 response. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** Returns the unexpected violations as text. */
  get found(): string[] {
    return this.#findings
      .filter(({ mayBeExpected, text }) => !(mayBeExpected && this.#expected.some((pattern) => pattern.test(text))))
      .map(({ text }) => text);
  }
}

/**
 * Records exceptions, console errors, requests to another origin and violations of the content
 * security policy. Call it before the page navigates.
 */
export async function watchPage(page: Page, origin: string, trouble: Trouble): Promise<void> {
  const never = (text: string) => trouble.add({ mayBeExpected: false, text });
  page.on('pageerror', (error) => never(`exception: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || isQuestionForSession(message)) return;
    trouble.add({ mayBeExpected: true, text: `console: ${message.text()} (${message.location().url})` });
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== origin) never(`asked elsewhere: ${request.url()}`);
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== new URL(origin).host) never(`socket elsewhere: ${socket.url()}`);
  });
  await page.exposeFunction('reportPolicyBreach', never);
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      const report: unknown = Reflect.get(globalThis, 'reportPolicyBreach');
      if (typeof report === 'function') report(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
}

/**
 * At its start, a page checks whether it is signed in. The browser always logs the 401 response as
 * an error.
 */
function isQuestionForSession(message: ConsoleMessage): boolean {
  return message.location().url.endsWith('/portal-backend/api/session') && message.text().includes('401');
}
