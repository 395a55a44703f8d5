-- Only the owner of a dashboard and administrators may change it. The owner of an existing one is the
-- user who saved it first, according to the audit trail.
alter table sync_dashboard add column owner text;

update sync_dashboard d set owner = (
  select username from audit_entry
  where environment = d.environment and resource = d.name and action = 'sync.save-dashboard' and outcome = 'done'
  order by id limit 1
);
