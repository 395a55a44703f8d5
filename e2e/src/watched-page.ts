import type { ConsoleMessage, Page } from 'playwright-core';

interface Finding {
  /** Console errors a test may expect; anything else it may not. */
  readonly mayBeExpected: boolean;
  readonly text: string;
}

/** What must not happen on any screen, collected over all pages of a test. */
export class Trouble {
  #findings: Finding[] = [];
  #expected: RegExp[] = [];

  add(finding: Finding): void {
    this.#findings.push(finding);
  }

  /** Lets console errors that match pass, e.g. the browser's own line about an answer of 401. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** In words, what was seen and not expected. */
  get found(): string[] {
    return this.#findings
      .filter(({ mayBeExpected, text }) => !(mayBeExpected && this.#expected.some((pattern) => pattern.test(text))))
      .map(({ text }) => text);
  }
}

/**
 * Listens for exceptions, console errors, requests to another origin and breaches of the content
 * policy. To be called before the page goes anywhere.
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
 * A page asks at its start whether it is signed in; the browser logs the "no" as an error, whatever
 * one does.
 */
function isQuestionForSession(message: ConsoleMessage): boolean {
  return message.location().url.endsWith('/portal-backend/api/session') && message.text().includes('401');
}
