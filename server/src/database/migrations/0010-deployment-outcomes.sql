-- How a deployment ended, and the id of its event in calendars, which is unique among all portals.
alter table deployment_schedules
  add column outcome text check (outcome in ('deployed', 'rolledBack', 'calledOff')),
  add column outcome_note text not null default '',
  add column calendar_uid uuid not null default gen_random_uuid();
