import pg from 'pg';
import { sqlKeywords } from './alter-owner.ts';
import { markedRolesSql } from './app-role.ts';
import { unfitTeamSql } from './grant-facts.ts';
import { inventorySql } from './inventory-sql.ts';
import { kinds } from './schema-state.ts';

const literal = pg.escapeLiteral;

export interface CatalogScriptOptions {
  readonly schemaName: string;
  readonly team: string;
  /** Roles that belong to teams and therefore to no app. */
  readonly teams: readonly string[];
}

/**
 * Returns one statement that grants a team access to a schema of that name, in whichever database
 * it runs. It reads the catalogs when it is run and then does what `planGrant` plans, with the same
 * checks of the team. Names from the caller appear in it as literals only, and PostgreSQL quotes
 * them where they become identifiers.
 */
export function catalogScript({ schemaName, team, teams }: CatalogScriptOptions): string {
  return `DO ${dollarQuoted(`
DECLARE
  schema_name CONSTANT text := ${literal(schemaName)};
  team_name CONSTANT text := ${literal(team)};
  team_names CONSTANT text[] := ARRAY[${teams.map(literal).join(', ')}]::text[];
${body}`)};`;
}

/** Quotes a text with the first tag that it does not contain. */
function dollarQuoted(text: string): string {
  let tag = '$script$';
  for (let number = 2; text.includes(tag); number += 1) tag = `$script${number}$`;
  return `${tag}${text}${tag}`;
}

/** The inventory as a part of a statement, with the columns that a plan needs. */
const inventory = `(
${inventorySql.replaceAll('$1', 'schema_name')}
) o`;

const inPlanOrder = `array_position(ARRAY[${kinds.map(literal).join(', ')}], o.kind), o.identity COLLATE "C"`;

function keyword(name: 'alter' | 'grantOn'): string {
  const byKind = Object.fromEntries(Object.entries(sqlKeywords).map(([kind, keywords]) => [kind, keywords[name]]));
  return `(${literal(JSON.stringify(byKind))}::jsonb ->> o.kind)`;
}

/**
 * All statements are planned before the first one runs, because each changes what the catalogs
 * show.
 */
const body = `  server_version CONSTANT int := pg_catalog.current_setting('server_version_num')::int;
  schema_id oid;
  owner_id oid;
  owner_name text;
  schema_acl aclitem[];
  team_id oid;
  app_name text;
  app_id oid;
  former_team text;
  found_names text[];
  is_direct_member boolean;
  statements text[] := '{}';
  statement text;
BEGIN
  -- Without a search path, PostgreSQL qualifies every name, and calls no function in public in place of its own.
  PERFORM pg_catalog.set_config('search_path', '', true);

  SELECT n.oid, n.nspowner, pg_get_userbyid(n.nspowner), n.nspacl INTO schema_id, owner_id, owner_name, schema_acl
  FROM pg_namespace n WHERE n.nspname = schema_name;
  IF schema_id IS NULL THEN RAISE EXCEPTION 'There is no schema % in this database.', schema_name; END IF;
  IF schema_name ~ '^(pg_|information_schema$)' THEN
    RAISE EXCEPTION 'The schema % belongs to PostgreSQL.', schema_name;
  END IF;
  SELECT r.oid INTO team_id FROM pg_roles r WHERE r.rolname = team_name;
  IF team_id IS NULL THEN RAISE EXCEPTION 'There is no database user % on this server.', team_name; END IF;

  -- The role the app works as owns the schema, or has its mark in the privileges of a team's schema.
  app_name := owner_name;
  IF owner_name = ANY (team_names) THEN
    found_names := ARRAY(${markedRolesSql('schema_acl', 'owner_id', 'team_names')});
    IF cardinality(found_names) <> 1 THEN
      RAISE EXCEPTION '% owns the schema %, and the role the app works as cannot be determined.', owner_name, schema_name
        USING HINT = 'Make that role a member of the owner and grant it USAGE and CREATE on the schema.';
    END IF;
    app_name := found_names[1];
    IF owner_name <> team_name THEN former_team := owner_name; END IF;
  END IF;
  SELECT r.oid INTO app_id FROM pg_roles r WHERE r.rolname = app_name;

  SELECT array_remove(${unfitTeamSql}, NULL) INTO found_names
  FROM pg_roles team LEFT JOIN pg_roles app ON app.oid = app_id WHERE team.oid = team_id;
  IF cardinality(found_names) > 0 THEN
    RAISE EXCEPTION '% cannot receive a schema because it %.', team_name, array_to_string(found_names, ' and ');
  END IF;
  IF pg_has_role(team_id, app_id, 'MEMBER') THEN
    RAISE EXCEPTION '% is a member of %, the role the app works as.', team_name, app_name;
  END IF;
  IF server_version < 160000 AND NOT (SELECT r.rolinherit FROM pg_roles r WHERE r.oid = app_id) THEN
    RAISE EXCEPTION '%, the role the app works as, does not inherit from roles it is a member of.', app_name;
  END IF;

  -- The app's role becomes a member of the team, so that the app keeps working.
  is_direct_member := EXISTS (
    SELECT FROM pg_auth_members m WHERE m.roleid = team_id AND m.member = app_id
      AND coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)
      AND coalesce((to_jsonb(m) ->> 'set_option')::boolean, true));
  IF NOT is_direct_member AND (former_team IS NOT NULL OR NOT (pg_has_role(app_id, team_id, 'USAGE')
      AND pg_has_role(app_id, team_id, CASE WHEN server_version < 160000 THEN 'USAGE' ELSE 'SET' END))) THEN
    statements := statements || format('GRANT %I TO %I%s;', team_name, app_name,
      CASE WHEN server_version < 160000 THEN '' ELSE ' WITH INHERIT TRUE, SET TRUE' END);
  END IF;

  -- The schema comes before its objects: an owner of objects needs CREATE on their schema.
  IF owner_name <> team_name THEN
    statements := statements || format('ALTER SCHEMA %I OWNER TO %I;', schema_name, team_name);
  END IF;
  IF schema_acl IS NOT NULL AND 2 > (SELECT count(DISTINCT e.privilege_type) FROM aclexplode(schema_acl) e
      WHERE e.grantee IN (owner_id, team_id)) THEN
    statements := statements || format('GRANT USAGE, CREATE ON SCHEMA %I TO %I;', schema_name, team_name);
  END IF;
  IF owner_name <> team_name OR 2 > (SELECT count(DISTINCT e.privilege_type) FROM aclexplode(schema_acl) e
      WHERE e.grantee = app_id) THEN
    statements := statements || format('GRANT USAGE, CREATE ON SCHEMA %I TO %I;', schema_name, app_name);
  END IF;

  statements := statements || ARRAY(
    SELECT format('ALTER %s %s OWNER TO %I;', ${keyword('alter')}, o.identity, team_name)
    FROM ${inventory}
    WHERE NOT o.follows AND o.owner <> team_name
    ORDER BY ${inPlanOrder});

  -- Everything that the app creates later.
  statements := statements || ARRAY(
    SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT ALL ON %s TO %I;',
      app_name, schema_name, k.objects, team_name)
    FROM unnest(ARRAY['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES'], ARRAY['r', 'S', 'f', 'T'], ARRAY['r', 's', 'f', 'T'])
      WITH ORDINALITY AS k (objects, type, acl_type, at)
    WHERE EXISTS (
      SELECT e.privilege_type FROM aclexplode(acldefault(k.acl_type::"char", 10)) e WHERE e.grantee <> 0
      EXCEPT SELECT e.privilege_type FROM pg_default_acl d, aclexplode(d.defaclacl) e
      WHERE d.defaclnamespace = schema_id AND d.defaclrole = app_id AND d.defaclobjtype = k.type::"char" AND e.grantee = team_id)
    ORDER BY k.at);

  -- The team that had the schema before keeps nothing.
  IF former_team IS NOT NULL THEN
    statements := statements || ARRAY(
      SELECT s.sql
      FROM ${inventory}
      CROSS JOIN LATERAL (
        SELECT bool_or(e ->> 'grantee' = former_team) AS names_team,
          bool_or((e ->> 'grantable')::boolean AND e ->> 'grantee' <> o.owner) AS by_others
        FROM (SELECT json_array_elements(o.acl)
          UNION ALL SELECT json_array_elements(c -> 'acl') FROM json_array_elements(o.columns) c) AS entries (e)) a
      CROSS JOIN LATERAL unnest(ARRAY[
        CASE WHEN a.by_others THEN format('SET LOCAL ROLE %I;', team_name) END,
        format('REVOKE ALL ON %s %s FROM %I CASCADE;', ${keyword('grantOn')}, o.identity, former_team),
        CASE WHEN a.by_others THEN 'RESET ROLE;' END]) WITH ORDINALITY AS s (sql, at)
      WHERE o.owner <> former_team AND a.names_team AND ${keyword('grantOn')} IS NOT NULL AND s.sql IS NOT NULL
      ORDER BY ${inPlanOrder}, s.at);
    statements := statements || ARRAY(
      SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I REVOKE ALL ON %s FROM %I;', app_name, schema_name,
        CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END,
        former_team)
      FROM pg_default_acl d WHERE d.defaclnamespace = schema_id AND d.defaclrole = app_id
        AND d.defaclobjtype IN ('r', 'S', 'f', 'T') AND EXISTS (SELECT FROM aclexplode(d.defaclacl) e WHERE e.grantee = owner_id)
      ORDER BY d.defaclobjtype);
    statements := statements || ARRAY(
      SELECT format('REVOKE %I FROM %I%s;', former_team, app_name,
        CASE WHEN server_version < 160000 THEN '' ELSE format(' GRANTED BY %I', pg_get_userbyid(m.grantor)) END)
      FROM pg_auth_members m WHERE m.roleid = owner_id AND m.member = app_id
        AND (server_version < 160000 OR pg_has_role(m.grantor, 'USAGE'))
      ORDER BY m.grantor);
  END IF;

  FOREACH statement IN ARRAY statements LOOP
    RAISE NOTICE '%', statement;
    EXECUTE statement;
  END LOOP;
END
`;
