import { Link } from '@tanstack/react-router';
import type { Section } from './section.ts';

function Names() {
  return (
    <>
      <p>
        A Helium object and a Journey model are the same when their names are, whatever the case of their letters; so
        are attributes and fields, and relations. A record has the same id on both sides. What has no counterpart is
        left out and harms nothing.
      </p>
      <ul>
        <li>
          Do not end an attribute’s name with <code>_id</code>: Journey takes it for a relation.
        </li>
        <li>
          The attribute name <code>date</code> is reserved. Use <code>creation_date</code>, or say which date it is.
        </li>
        <li>
          Do not write the name of a Journey object in capitals only: <code>visit</code> or <code>Visit</code>, never{' '}
          <code>VISIT</code>.
        </li>
        <li>No two models, and no two fields of a model, may differ by the case of their letters alone.</li>
        <li>
          Journey keeps <code>object</code>, <code>account</code>, <code>id</code> and <code>type</code> for itself, as
          names of models and of fields; of fields also <code>attribute</code>, <code>display</code> and{' '}
          <code>updated_at</code>.
        </li>
      </ul>
      <p>The form checks these rules against both data models before an integration is saved.</p>
    </>
  );
}

function Relationships() {
  return (
    <p>
      <code>@ManyToOne</code> and <code>@OneToMany</code> go with <code>belongs-to</code> and <code>has-many</code>.{' '}
      <code>@ManyToMany</code> and <code>@OneToOne</code> are not supported by Journey and must be marked{' '}
      <code>@NotTracked</code>.{' '}
      <Link to="/sync-guide" search={{ tab: 'relationships' }}>
        Relationships with examples
      </Link>
    </p>
  );
}

function Skipping() {
  return (
    <>
      <p>Every tracked object that both sides have is synced, unless it is skipped. Each list stops one direction:</p>
      <ul>
        <li>
          <strong>Change log skip tables</strong>: what changes in these tables stays in Helium. Journey’s changes still
          arrive.
        </li>
        <li>
          <strong>Op-log skip object types</strong>: what changes in these Journey objects stays there. Helium’s changes
          still arrive.
        </li>
        <li>In both lists: the object is not synced at all.</li>
      </ul>
      <p>
        Names are separated by commas, without spaces; the case of letters does not matter. A table is called as its
        object, in lower case. A listing query of the materialized views leaves a comma at the end when there are none:
        do not copy that comma.
      </p>
      <p>
        Views and materialized views are never synced. <code>@NotTracked</code> on an object stops its sync too, in both
        directions, but also switches off its change log for everybody else: a skip list is the better choice.
      </p>
    </>
  );
}

function Cascades() {
  return (
    <>
      <p>A deletion on one side is a deletion on the other. What becomes of the children is decided by Helium:</p>
      <ul>
        <li>
          Helium’s own rule clears the relation: the children stay, and point at nothing. This is carried over to
          Journey, whichever side deleted the parent.
        </li>
        <li>
          A foreign key that was made to delete its children does so, and each of these deletions is carried over as
          well.
        </li>
        <li>
          Journey itself clears and deletes nothing: it lets a record point at one that is not there. Helium does not.
          Such a record is parked, and written as soon as its parent arrives.
        </li>
      </ul>
      <p>
        When one side deletes what the other edits at the same time, the later one wins, unless the integration is set
        to prefer a side; the conflict is listed with both values. Emptying a table by <code>TRUNCATE</code> tells
        nobody. Use <code>DELETE</code>.
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
