import { endpoints, sockets } from '@portal/contract/endpoints';
import type { Rules } from '@portal/contract/rules';
import { syncBases } from '@portal/contract/sync/base';
import type { Declared } from './caller-outcomes.ts';

/** Every call and every frame of a socket, by its name in the documentation. */
export function listDeclared(): ReadonlyMap<string, Declared> {
  return new Map([
    ...endpoints.map((each): [string, Declared] => [`\`${each.method} ${each.path}\``, each]),
    ...sockets.flatMap(({ paths: [path], rules, frame }) =>
      Object.entries<Rules>(rules).map(([type, each]): [string, Declared] => [
        `\`WebSocket ${path}\`, ${type}`,
        { ...each, method: 'WebSocket', path, base: syncBases.find((base) => path.startsWith(base)), request: frame },
      ]),
    ),
  ]);
}
