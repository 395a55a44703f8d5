import { readFileSync } from 'node:fs';

/** Returns why the server stopped, as one sentence from its log. */
export function readStopReason(logFile: string): string {
  let text: string;
  try {
    text = readFileSync(logFile, 'utf8');
  } catch {
    return 'it wrote no log.';
  }
  return parseStopReason(text) ?? 'its log is empty.';
}

/**
 * A failed bind is a LOG line, followed by FATAL lines without the cause, so it takes precedence.
 * So does a remnant of a killed server, whose last processes write to the same log. A missing
 * library is reported by the loader without a level, so the last line is the fallback.
 */
export function parseStopReason(log: string): string | undefined {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const found =
    lines.find((line) => /could not (bind|create IPv4 socket)|pre-existing shared memory block/.test(line)) ??
    lines.findLast((line) => /(FATAL|PANIC): /.test(line)) ??
    lines.at(-1);
  const sentence = found?.replace(/^.*?(LOG|FATAL|PANIC|ERROR|WARNING): +/, '').trim();
  if (!sentence) return undefined;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
