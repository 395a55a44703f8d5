import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Describes the machine in one line, because a figure is meaningless without it. */
export function describeMachine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${gib} GiB, ${systemName()}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}

function systemName(): string {
  try {
    const name = /^PRETTY_NAME="?(.+?)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    return name ?? process.platform;
  } catch {
    return process.platform;
  }
}
