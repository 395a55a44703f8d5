/** Signs users in on devices one after another; a signed-out user signs in again. */
import type { Logger } from '@portal/kit/logger';
import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import { JourneyEnrollment, type JourneyUser } from '@portal/platforms/journey/user-wire';
import { stableId } from '../../kit/stable-id.ts';
import type { DeviceDescription } from '../sessions.ts';
import type { DeploymentHandle } from '../simulator.ts';

const devices = [
  { label: 'Samsung SM-A045F', os: 'Android 13', model: 'SM-A045F', platform: 'ANDROID', version: '24.5.2' },
  { label: 'Apple iPhone12,8', os: 'iOS 17.4', model: 'iPhone SE', platform: 'IOS', version: '24.5.1' },
  { label: 'Tecno KG5j', os: 'Android 12', model: 'KG5j', platform: 'ANDROID', version: '24.4.0' },
] as const;

/** How many users, from the start of Journey's list, have devices. */
const usersWithDevices = 12;
const everyMs = 10_000;

interface DeployedUsers {
  readonly deployment: DeploymentHandle;
  readonly userModel: string;
  readonly multiDevice: boolean;
}

/** Starts signing in and returns a function that stops it. */
export function signInDevices(users: DeployedUsers, log: Logger | undefined): () => void {
  const { url, userName, password } = users.deployment;
  const client = createJourneyClient({ baseUrl: url, userName, password: new Secret(password) });
  const stopping = new AbortController();
  const timer = setInterval(() => {
    signInNext(users, client, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) log?.warn({ err: error }, 'a device could not sign in');
    });
  }, everyMs);
  return () => {
    clearInterval(timer);
    stopping.abort();
  };
}

/**
 * Signs in one user without a device and returns whether there was one. Users arrive with the sync,
 * so at first there are none.
 */
export async function signInNext(
  { deployment, userModel, multiDevice }: DeployedUsers,
  client: JourneyClient,
  signal: AbortSignal,
): Promise<boolean> {
  const { objects } = await client.users({ limit: usersWithDevices, signal });
  const next = objects.find((user, index) => !user.locked && countSignedIn(user) < deviceCount(index, multiDevice));
  if (next === undefined) return false;
  const code = multiDevice
    ? (await client.authenticationToken(next.id, { signal })).token
    : JourneyEnrollment.parse((await client.get(userModel, next.id, { signal })).enrollment).url;
  if (code === null) return false;
  await deployment.device.enroll(code, createDevice(next));
  return true;
}

/** Every third user has two devices where that is allowed. */
function deviceCount(index: number, multiDevice: boolean): number {
  return multiDevice && index % 3 === 0 ? 2 : 1;
}

function countSignedIn({ sessions }: Pick<JourneyUser, 'sessions'>): number {
  return (sessions ?? []).filter(({ state }) => state === 'ENROLLED').length;
}

function createDevice(user: JourneyUser): DeviceDescription {
  const { id } = user;
  const number = countSignedIn(user);
  const known = devices[(Number.parseInt(id.slice(0, 2), 16) + number) % devices.length] ?? devices[0];
  const { label, os, model, platform, version } = known;
  return {
    label,
    os,
    model,
    container: { version, bundle_id: 'com.journeyapps.container', platform },
    runtime: { version: '4.90.1' },
    device: { id: stableId(`device ${number} of ${id}`) },
  };
}
