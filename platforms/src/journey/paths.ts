/**
 * The paths below a deployment's base URL. Parameters are validated, so no name can lead to another
 * path.
 */
import { JourneyProblem } from './journey-problem.ts';
import { journeyErrors } from './wire.ts';

export const journeyPaths = {
  info: 'info.json',
  dataModel: 'datamodel.json',
  opLog: 'oplog.json',
  batch: 'batch.json',
  objects: (model: string) => `objects/${modelName(model)}.json`,
  count: (model: string) => `objects/${modelName(model)}/count.json`,
  query: (model: string) => `objects/${modelName(model)}/query.json`,
  object: (model: string, id: string) => `objects/${modelName(model)}/${identifier(id)}.json`,
  reEnroll: (model: string, id: string) => `objects/${modelName(model)}/${identifier(id)}/re_enroll.json`,
  users: 'users',
  user: (userId: string) => `users/${identifier(userId)}`,
  userAction: (userId: string, action: 'lock' | 'unlock' | 'authentication-token') =>
    `users/${identifier(userId)}/${action}`,
  sessionAction: (userId: string, sessionId: string, action: 'wipe' | 're-authenticate') =>
    `users/${identifier(userId)}/sessions/${identifier(sessionId)}/${action}`,
} as const;

function modelName(name: string): string {
  if (/^[a-zA-Z][A-Za-z0-9_]{0,199}$/.test(name)) return name;
  throw createRefusal('This is not a valid name of a Journey model.');
}

/** UUIDs, and other ids that older deployments may use. */
function identifier(id: string): string {
  if (/^[\w-]{1,200}$/.test(id)) return id;
  throw createRefusal('This is not a valid Journey id.');
}

function createRefusal(message: string): JourneyProblem {
  return new JourneyProblem(message, { kind: 'invalid-request', type: journeyErrors.invalidRequest });
}
