import { readdirSync, readFileSync } from 'node:fs';
import { getProcessIdentity, type ProcessIdentity } from '@portal/kit/process-identity';

/**
 * Resource usage of a process and all its descendants. Linux only, because everything here reads
 * /proc.
 */
export interface Usage {
  readonly processes: number;
  /** Memory in MB, with shared pages counted once (PSS). */
  readonly memoryMb: number;
  /** CPU seconds used so far. */
  readonly cpuSeconds: number;
}

/** Clock ticks per second: 100 on every Linux that Node supports. */
const ticksPerSecond = 100;

/** The fields of /proc/PID/stat after the command's name, by their numbers in proc(5). */
const fieldIndex = { state: 3, parent: 4, userTicks: 14, systemTicks: 15 } as const;

export function getTreeUsage(rootPid: number): Usage {
  let memoryKb = 0;
  let ticks = 0;
  let processes = 0;
  for (const { pid } of getProcessTree(rootPid)) {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    const stat = readStat(pid);
    if (rollup === null || stat === null) continue;
    processes += 1;
    memoryKb += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    ticks += Number(stat('userTicks')) + Number(stat('systemTicks'));
  }
  return { processes, memoryMb: memoryKb / 1024, cpuSeconds: ticks / ticksPerSecond };
}

/** Returns the process and all its descendants. */
export function getProcessTree(rootPid: number): ProcessIdentity[] {
  const childrenByParent = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? Number(readStat(Number(name))?.('parent')) : Number.NaN;
    if (Number.isNaN(parent)) continue;
    childrenByParent.set(parent, [...(childrenByParent.get(parent) ?? []), Number(name)]);
  }
  const found: ProcessIdentity[] = [];
  const pendingPids = [rootPid];
  for (let pid = pendingPids.pop(); pid !== undefined; pid = pendingPids.pop()) {
    const identity = getProcessIdentity(pid);
    if (identity) found.push(identity);
    pendingPids.push(...(childrenByParent.get(pid) ?? []));
  }
  return found;
}

/** Returns the resident memory of one process in MB. */
export function getResidentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1024;
}

function readStat(pid: number): ((field: keyof typeof fieldIndex) => string) | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command's name, in parentheses, may contain blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (field) => fields[fieldIndex[field] - fieldIndex.state] ?? '';
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
