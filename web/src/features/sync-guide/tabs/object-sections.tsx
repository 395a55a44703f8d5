import { Link } from '@tanstack/react-router';
import type { Section } from './section.ts';

function Names() {
  return (
    <>
      <p>
        A Helium object and a Journey model form a pair when their names match, ignoring case. The same applies to
        attributes and fields, and to relations. A record has the same id on both sides. Anything without a counterpart
        is ignored.
      </p>
      <ul>
        <li>
          Do not end an attribute’s name with <code>_id</code>: Journey treats it as a relation.
        </li>
        <li>
          The attribute name <code>date</code> is reserved. Use <code>creation_date</code> or a more specific name.
        </li>
        <li>
          Do not write the name of a Journey object in all caps: <code>visit</code> or <code>Visit</code>, never{' '}
          <code>VISIT</code>.
        </li>
        <li>No two models, and no two fields of a model, may have names that differ only in case.</li>
        <li>
          Journey reserves <code>object</code>, <code>account</code>, <code>id</code> and <code>type</code> as names of
          models and fields, and for fields also <code>attribute</code>, <code>display</code> and{' '}
          <code>updated_at</code>.
        </li>
      </ul>
      <p>These rules are checked against both data models before an integration is saved.</p>
    </>
  );
}

function Relationships() {
  return (
    <p>
      <code>@ManyToOne</code> and <code>@OneToMany</code> correspond to <code>belongs-to</code> and{' '}
      <code>has-many</code>. <code>@ManyToMany</code> and <code>@OneToOne</code> are not supported by Journey and must
      be marked <code>@NotTracked</code>.{' '}
      <Link to="/sync-guide" search={{ tab: 'relationships' }}>
        Relationship examples
      </Link>
    </p>
  );
}

function Skipping() {
  return (
    <>
      <p>
        Every tracked object that exists on both sides is synced, unless it is skipped. Each list stops one direction:
      </p>
      <ul>
        <li>
          <strong>Change log skip tables</strong>: changes in these tables stay in Helium. Journey’s changes still
          arrive.
        </li>
        <li>
          <strong>Op-log skip object types</strong>: changes in these Journey objects stay in Journey. Helium’s changes
          still arrive.
        </li>
        <li>If an object is in both lists, it is not synced at all.</li>
      </ul>
      <p>
        Separate names with commas and no spaces; case does not matter. A table has the name of its object in lowercase.
        The listing query leaves a trailing comma when there are no materialized views: do not copy that comma.
      </p>
      <p>
        Views and materialized views are never synced. <code>@NotTracked</code> on an object also stops its sync in both
        directions, but it turns off the object’s change log for every other use too. A skip list is the better choice.
      </p>
    </>
  );
}

function Cascades() {
  return (
    <>
      <p>A record deleted on one side is deleted on the other. Helium decides what happens to its children:</p>
      <ul>
        <li>
          By default, Helium clears the relation: the children stay without a parent. This is synced to Journey,
          whichever side deleted the parent.
        </li>
        <li>If the foreign key cascades deletes, the children are deleted too, and each deletion is synced.</li>
        <li>
          Journey itself neither clears relations nor deletes children: a record may refer to one that does not exist.
          Helium does not allow that. Such a record is parked and written when its parent arrives.
        </li>
      </ul>
      <p>
        When one side deletes a record while the other edits it, the later change wins, unless the integration prefers
        one side. The conflict is listed with both values. Emptying a table with <code>TRUNCATE</code> leaves no trace
        in the change log: the integration halts and asks whether to delete the records in Journey. Use{' '}
        <code>DELETE</code>.
      </p>
    </>
  );
}

export const objectSections: readonly Section[] = [
  { id: 'names', title: 'Names', Content: Names },
  { id: 'relationships', title: 'Relationships', Content: Relationships },
  { id: 'skipping', title: 'Skipping objects', Content: Skipping },
  { id: 'cascades', title: 'Cascades', Content: Cascades },
];
