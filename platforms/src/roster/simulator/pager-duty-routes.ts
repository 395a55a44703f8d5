/** The part of PagerDuty's REST API that readers of schedules use. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

interface SimulatedUser {
  readonly id: string;
  readonly name: string;
  /** The phone number in PagerDuty's parts; null for a user with only an email address. */
  readonly phone: { readonly country_code: number; readonly address: string } | null;
}

export interface SimulatedSchedule {
  readonly id: string;
  readonly token: string;
  readonly users: readonly SimulatedUser[];
}

const turnMs = 12 * 3_600_000;
const range = z.object({
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  overflow: z.enum(['true', 'false']).optional(),
});
const named = z.object({ id: z.string() });

/** Users take turns of twelve hours, from 06:00 to 18:00 and from 18:00 to 06:00 UTC. */
export function registerPagerDutyRoutes(server: FastifyInstance, { id, token, users }: SimulatedSchedule): void {
  const fails = (reply: FastifyReply, status: number, message: string) =>
    reply.code(status).send({ error: { message, code: 2000 + status, errors: [] } });
  const isAuthorized = ({ headers }: FastifyRequest) => headers.authorization === `Token token=${token}`;

  server.get('/pagerduty/schedules/:id', (request, reply) => {
    if (!isAuthorized(request)) return fails(reply, 401, 'Unauthorized');
    if (named.parse(request.params).id !== id) return fails(reply, 404, 'Not Found');
    const query = range.safeParse(request.query);
    if (!query.success) return fails(reply, 400, 'Invalid Input Provided');
    const [since, until] = [Date.parse(query.data.since), Date.parse(query.data.until)];
    const entries = Array.from(listTurns(users, since, until), ({ user, start, end }) => ({
      start: new Date(query.data.overflow === 'true' ? start : Math.max(start, since)).toISOString(),
      end: new Date(query.data.overflow === 'true' ? end : Math.min(end, until)).toISOString(),
      user: { id: user.id, type: 'user_reference', summary: user.name },
    }));
    return {
      schedule: {
        id,
        type: 'schedule',
        final_schedule: { name: 'Final Schedule', rendered_schedule_entries: entries },
      },
    };
  });

  server.get('/pagerduty/users/:id/contact_methods', (request, reply) => {
    if (!isAuthorized(request)) return fails(reply, 401, 'Unauthorized');
    const user = users.find((one) => one.id === named.parse(request.params).id);
    if (!user) return fails(reply, 404, 'Not Found');
    const email = { type: 'email_contact_method', summary: 'Default', address: `${user.id}@example.com` };
    return {
      contact_methods: [
        email,
        ...(user.phone ? [{ type: 'phone_contact_method', summary: 'Mobile', ...user.phone }] : []),
      ],
    };
  });
}

function* listTurns(
  users: readonly SimulatedUser[],
  since: number,
  until: number,
): Iterable<{ user: SimulatedUser; start: number; end: number }> {
  const getTurnStart = (turn: number) => turn * turnMs + turnMs / 2;
  for (let turn = Math.floor((since - turnMs / 2) / turnMs); getTurnStart(turn) < until; turn++) {
    const user = users[turn % users.length];
    if (user) yield { user, start: getTurnStart(turn), end: getTurnStart(turn + 1) };
  }
}
