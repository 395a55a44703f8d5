-- The apps whose pages are open, which are checked first and more often.
create table app_check_page (
  environment text not null,
  subject text not null,
  app text not null,
  opened_at timestamptz not null default now(),
  primary key (environment, subject, app)
);
