-- The newest configuration changes are on every home page. Without an index, they would be a search
-- of the whole trail.
create index audit_entry_by_config_change on audit_entry (environment, id desc) where action like 'config.%';
