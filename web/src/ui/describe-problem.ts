import { CallProblem } from '../lib/call-problem.ts';

export interface ProblemText {
  readonly title: string | null;
  readonly message: string;
  readonly requestId: string | null;
  /** Everything one would paste into a ticket. */
  readonly copyText: string;
}

/** Whatever was thrown, in words. `title` overrules the problem's own. */
export function describeProblem(problem: unknown, title?: string): ProblemText {
  const known = problem instanceof CallProblem ? problem : null;
  const heading = title ?? known?.title ?? null;
  const message = problem instanceof Error ? problem.message : String(problem);
  const requestId = known?.requestId ?? null;
  const lines = [
    heading,
    message,
    known && known.status > 0 ? `Status ${known.status} ${known.statusText}` : null,
    requestId ? `Request ${requestId}` : null,
    `Page ${typeof window === 'undefined' ? '' : window.location.href}`,
    `Time ${new Date().toISOString()}`,
  ];
  return { title: heading, message, requestId, copyText: lines.filter((line) => line !== null).join('\n') };
}
