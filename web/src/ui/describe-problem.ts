import { CallProblem } from '../api/call-problem.ts';

export interface ProblemText {
  readonly title: string | null;
  readonly message: string;
  readonly requestId: string | null;
  /** All details for a ticket. */
  readonly copyText: string;
}

/** Describes any thrown value. `title` overrides the problem's own title. */
export function describeProblem(problem: unknown, title?: string): ProblemText {
  const callProblem = problem instanceof CallProblem ? problem : null;
  const heading = title ?? callProblem?.title ?? null;
  const message = problem instanceof Error ? problem.message : String(problem);
  const requestId = callProblem?.requestId ?? null;
  const lines = [
    heading,
    message,
    callProblem && callProblem.status > 0 ? `Status ${callProblem.status} ${callProblem.statusText}` : null,
    requestId ? `Request ${requestId}` : null,
    `Page ${typeof window === 'undefined' ? '' : window.location.href}`,
    `Time ${new Date().toISOString()}`,
  ];
  return { title: heading, message, requestId, copyText: lines.filter((line) => line !== null).join('\n') };
}
