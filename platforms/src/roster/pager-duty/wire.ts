/** The part of PagerDuty's REST API, version 2, that the portal reads. */
import { z } from 'zod';

export const pagerDutyAccept = 'application/vnd.pagerduty+json;version=2';

const userReference = z.object({ id: z.string().min(1), summary: z.nullish(z.string()) });

/** `GET /schedules/{id}?since=&until=&overflow=true` */
export const scheduleResponse = z.object({
  schedule: z.object({
    final_schedule: z.object({
      rendered_schedule_entries: z
        .array(
          z.object({
            start: z.iso.datetime({ offset: true }),
            end: z.iso.datetime({ offset: true }),
            user: userReference,
          }),
        )
        .max(100_000),
    }),
  }),
});

/**
 * `GET /users/{id}/contact_methods`; only phone numbers matter, and only they have a country code.
 */
export const contactMethodsResponse = z.object({
  contact_methods: z.array(z.object({ type: z.string(), address: z.string(), country_code: z.nullish(z.number()) })),
});
