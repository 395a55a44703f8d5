-- Counts the requests of operators to try again now.
alter table sync.lease add column attempts_requested bigint not null default 0;
