-- Count what wakes a run. Behind a pooler, which delivers no notifications, a process finds it so.
alter table sync.lease
  add column state_changes bigint not null default 0,
  add column webhooks bigint not null default 0;
