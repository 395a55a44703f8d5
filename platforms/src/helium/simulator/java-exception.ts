import pg from 'pg';

/** What a function fails with: Helium runs on Java, and its failures read like it. */
export class JavaException extends Error {
  readonly className: string;

  constructor(className: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.className = className;
  }
}

export interface Place {
  readonly unit: string;
  readonly event: string;
}

/**
 * First line as people know it from Helium, `[Unit:line] text`, the rest as Java prints a stack.
 */
export function stackTraceOf(problem: unknown, place: Place): string {
  const exception = asJava(problem);
  const trace = [
    `com.mezzanineware.dsl.runtime.DslRuntimeException: [${place.unit}:${lineOf(place)}] ${exception.message}`,
    `\tat com.mezzanineware.dsl.runtime.unit.${place.unit}.${place.event}(${place.unit}.mez:${lineOf(place)})`,
    '\tat com.mezzanineware.dsl.runtime.ProcessInvoker.invoke(ProcessInvoker.java:214)',
    '\tat com.mezzanineware.scheduler.ScheduledFunctionTask.run(ScheduledFunctionTask.java:97)',
    '\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1128)',
    '\tat java.base/java.lang.Thread.run(Thread.java:829)',
  ];
  for (let cause: JavaException | undefined = exception; cause; cause = causeOf(cause)) {
    trace.push(`Caused by: ${cause.className}: ${cause.message}`, ...framesOf(cause.className));
  }
  return trace.join('\n');
}

export function shortErrorOf(problem: unknown, place: Place): string {
  return `[${place.unit}:${lineOf(place)}] ${asJava(problem).message}`;
}

/** A function keeps its line, as it would until its next release. */
function lineOf({ unit, event }: Place): number {
  let sum = 7;
  for (const letter of unit + event) sum = (sum * 31 + letter.charCodeAt(0)) % 397;
  return 12 + sum;
}

function asJava(problem: unknown): JavaException {
  if (problem instanceof JavaException) return problem;
  if (problem instanceof pg.DatabaseError) {
    return new JavaException('org.postgresql.util.PSQLException', `ERROR: ${problem.message}`);
  }
  return new JavaException(
    'java.lang.IllegalStateException',
    problem instanceof Error ? problem.message : String(problem),
  );
}

function causeOf(exception: JavaException): JavaException | undefined {
  return exception.cause === undefined ? undefined : asJava(exception.cause);
}

function framesOf(className: string): string[] {
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
