-- Where Journey sends its webhooks, and the secrets they are signed with, as an encrypted list.
alter table sync.integration
  add column webhook_address uuid not null unique default gen_random_uuid(),
  add column webhook_secrets bytea;
