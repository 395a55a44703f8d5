-- Each schedule as the calls answer it. A list is every schedule of an environment, and writing twenty thousand of them takes
-- PostgreSQL four times as long as reading them.
ALTER TABLE deployment_schedules ADD COLUMN written json;

CREATE FUNCTION write_deployment_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.written := json_build_object(
    'id', NEW.id::text,
    'deploymentDate', to_char(NEW.deployment_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'team', NEW.team,
    'jiraProject', NEW.jira_project,
    'appIds', NEW.app_ids,
    'appNames', NEW.app_names,
    'appSchemas', NEW.app_schemas,
    'releaseName', NEW.release_name,
    'releaseGroup', NEW.release_group,
    'releaseTag', NEW.release_tag,
    'releaseDescription', NEW.release_description,
    'instructions', NEW.instructions,
    'dataSource', NEW.data_source,
    'environment', NEW.environment,
    'scheduleStatus', NEW.status,
    'portalUser', NEW.portal_user,
    'revision', NEW.revision,
    'updatedAt', to_char(NEW.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  RETURN NEW;
END
$$;

CREATE TRIGGER deployment_schedules_are_written BEFORE INSERT OR UPDATE ON deployment_schedules
  FOR EACH ROW EXECUTE FUNCTION write_deployment_schedule();

UPDATE deployment_schedules SET revision = revision;
ALTER TABLE deployment_schedules ALTER COLUMN written SET NOT NULL;
