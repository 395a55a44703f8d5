-- Pages that are open ask once a minute what was saved since.
create index deployment_schedules_by_save on deployment_schedules (environment, updated_at);
