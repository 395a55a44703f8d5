import { readFileSync } from 'node:fs';

/** Why the server ended, in one sentence from its log. */
export function reasonIn(logFile: string): string {
  let text: string;
  try {
    text = readFileSync(logFile, 'utf8');
  } catch {
    return 'it left no log.';
  }
  return reasonFrom(text) ?? 'it left nothing in its log.';
}

/**
 * A failed bind is told by a mere LOG line and followed by FATAL lines that only say it failed, so
 * it comes first. What the loader says when a library is missing has no level at all: then the last
 * line.
 */
export function reasonFrom(log: string): string | undefined {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const found =
    lines.find((line) => /could not (bind|create IPv4 socket)/.test(line)) ??
    lines.findLast((line) => /(FATAL|PANIC): /.test(line)) ??
    lines.at(-1);
  const sentence = found?.replace(/^.*?(LOG|FATAL|PANIC|ERROR|WARNING): +/, '').trim();
  if (!sentence) return undefined;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
