import type { Endpoint } from '@portal/contract/endpoint';
import { endSession } from '@portal/contract/sessions';
import { syncBases } from '@portal/contract/sync/base';
import { buildRequest, type Examples, type NamedSubjects } from '../testing/build-request.ts';
import { TestClient } from '../testing/test-client.ts';
import { allCalls, nameOf } from './rules-walk.fixture.ts';
import { frames, sendFrame } from './rules-walk-sockets.fixture.ts';

/** A user and what they name in their calls. */
export interface WalkedCaller {
  readonly client: TestClient;
  readonly named: NamedSubjects;
  readonly examples: Examples;
}

export interface WalkResponse {
  readonly outcome: number | 'ok';
  readonly text: string;
  /** What was sent: an echo is no disclosure. */
  readonly sent: string;
}

/** A call at one of its bases, or a frame at one of its paths. */
export interface Target {
  /** Its name in the documentation. */
  readonly row: string;
  readonly base: Endpoint['base'] | undefined;
  send(caller: WalkedCaller): Promise<WalkResponse>;
}

/** Everything that can be called, at each of its addresses. */
export const targets: readonly Target[] = [
  ...frames.map(({ path, type, base }): Target => {
    // An alias has the row of the path that is documented.
    const documented = base === undefined ? path : `${syncBases[0]}ws`;
    return {
      row: `\`WebSocket ${documented}\`, ${type}`,
      base,
      async send({ client, named, examples: { baseUrl } }) {
        const sent = String(named.app);
        const { outcome, text } = await sendFrame(client, { path, type }, sent, base === undefined ? { baseUrl } : {});
        return { outcome: outcome === 'served' ? 'ok' : outcome, text, sent };
      },
    };
  }),
  ...allCalls.map((endpoint): Target => {
    const { base, method, path: atBase } = endpoint;
    return {
      row: toRow({ method, path: base === undefined ? atBase : `${syncBases[0]}${atBase.slice(base.length)}` }),
      base,
      async send({ client, named, examples }) {
        const { path, body } = buildRequest(endpoint, named, examplesFor(endpoint, examples));
        // A client of its own, so that a sign-in or sign-out does not change the next call.
        const single = new TestClient(client.url);
        Object.assign(single.headers, client.cookieHeaders, client.headers);
        const { status, text } = await single.send(method, path, body);
        return { outcome: status === 200 ? 'ok' : status, text, sent: `${path} ${body}` };
      },
    };
  }),
];

/** Returns the name of a call in the documentation. */
export function toRow(endpoint: Parameters<typeof nameOf>[0]): string {
  return `\`${nameOf(endpoint)}\``;
}

function examplesFor({ about, path }: Endpoint, { sessionId, dataSource, ...examples }: Examples): Examples {
  // Statistics are of an app or of a data source, not of both.
  const isOfApp = 'app' in about && 'dataSource' in about;
  return {
    ...examples,
    ...(!isOfApp && { dataSource }),
    ...(path === endSession.path && { id: sessionId }),
  };
}
