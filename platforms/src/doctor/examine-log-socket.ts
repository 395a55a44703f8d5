import { Problem } from '@portal/kit/problems';
import { createHeliumClient } from '../helium/client.ts';
import type { HeliumApp } from '../helium/wire.ts';
import type { Platform } from './ask.ts';
import { maskText } from './mask-secrets.ts';
import type { Section } from './report.ts';

/** Opens the log of an app and counts the lines that arrive until the time is over. */
export async function examineLogSocket(platform: Platform, app: HeliumApp, openMs: number): Promise<Section> {
  const title = `Log socket of ${app.name}`;
  const { baseUrl, credentials, timeoutMs } = platform;
  const client = createHeliumClient({ baseUrl, timeoutMs });
  const end = new AbortController();
  let lines = 0;
  let isOpen = false;
  const onOpen = () => {
    isOpen = true;
    setTimeout(() => end.abort(), openMs);
  };
  try {
    for await (const batch of client.readLog({ appId: app.id, credentials, signal: end.signal, onOpen }))
      lines += batch.length;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { title, lines: [maskText(error.message)], isGood: false, isPublic: true };
  } finally {
    client.close();
  }
  return { title, lines: [`opened; lines in ${openMs / 1000} s: ${lines}`], isGood: isOpen, isPublic: true };
}
