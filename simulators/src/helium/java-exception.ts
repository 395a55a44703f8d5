import pg from 'pg';

/** The error of a function in Java's format, because Helium runs on Java. */
export class JavaException extends Error {
  readonly className: string;

  constructor(className: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.className = className;
  }
}

export interface CodeLocation {
  readonly unit: string;
  readonly event: string;
}

/**
 * Formats the first line as Helium does, `[Unit:line] text`, and the rest as a Java stack trace.
 */
export function formatStackTrace(problem: unknown, location: CodeLocation): string {
  const exception = toJavaException(problem);
  const trace = [
    `com.mezzanineware.dsl.runtime.DslRuntimeException: [${location.unit}:${getSourceLine(location)}] ${exception.message}`,
    `\tat com.mezzanineware.dsl.runtime.unit.${location.unit}.${location.event}(${location.unit}.mez:${getSourceLine(location)})`,
    '\tat com.mezzanineware.dsl.runtime.ProcessInvoker.invoke(ProcessInvoker.java:214)',
    '\tat com.mezzanineware.scheduler.ScheduledFunctionTask.run(ScheduledFunctionTask.java:97)',
    '\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1128)',
    '\tat java.base/java.lang.Thread.run(Thread.java:829)',
  ];
  for (let cause: JavaException | undefined = exception; cause; cause = toCause(cause)) {
    trace.push(`Caused by: ${cause.className}: ${cause.message}`, ...formatFrames(cause.className));
  }
  return trace.join('\n');
}

export function formatShortError(problem: unknown, location: CodeLocation): string {
  return `[${location.unit}:${getSourceLine(location)}] ${toJavaException(problem).message}`;
}

/** Derives a function's line, which stays the same until its next release. */
function getSourceLine({ unit, event }: CodeLocation): number {
  let sum = 7;
  for (const letter of unit + event) sum = (sum * 31 + letter.charCodeAt(0)) % 397;
  return 12 + sum;
}

function toJavaException(problem: unknown): JavaException {
  if (problem instanceof JavaException) return problem;
  if (problem instanceof pg.DatabaseError) {
    return new JavaException('org.postgresql.util.PSQLException', `ERROR: ${problem.message}`);
  }
  return new JavaException(
    'java.lang.IllegalStateException',
    problem instanceof Error ? problem.message : String(problem),
  );
}

function toCause(exception: JavaException): JavaException | undefined {
  return exception.cause === undefined ? undefined : toJavaException(exception.cause);
}

function formatFrames(className: string): string[] {
  if (className.startsWith('org.postgresql')) {
    return [
      '\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2676)',
      '\tat org.postgresql.jdbc.PgPreparedStatement.executeWithFlags(PgPreparedStatement.java:167)',
      '\tat com.mezzanineware.dsl.runtime.sql.SqlStatement.execute(SqlStatement.java:58)',
      '\t... 9 more',
    ];
  }
  if (className.startsWith('java.net')) {
    return [
      '\tat java.base/java.net.SocketInputStream.socketRead0(Native Method)',
      '\tat java.base/java.net.SocketInputStream.read(SocketInputStream.java:168)',
      '\tat com.mezzanineware.dsl.runtime.http.OutboundApi.call(OutboundApi.java:143)',
      '\t... 14 more',
    ];
  }
  return ['\tat com.mezzanineware.dsl.runtime.ProcessContext.evaluate(ProcessContext.java:331)', '\t... 11 more'];
}
