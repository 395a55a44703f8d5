-- Where a process runs, so that another one of the same machine can find out that it has ended.
alter table sync.process
  add column machine text,
  add column pid int,
  add column began text;
