import { ExampleView } from '../examples/example-view.tsx';
import {
  insteadOfManyToManyExample,
  parentExample,
  selfRelationExample,
  twoRelationsExample,
} from '../examples/examples.ts';
import styles from '../sync-guide.module.css';

export function RelationshipsTab() {
  return (
    <div className={styles.text}>
      <section>
        <h2>Parent and child</h2>
        <p>
          A relation is kept by the child. Helium’s <code>@ManyToOne</code> is the column <code>{'{relation}_fk'}</code>
          , Journey’s <code>belongs-to</code> the field <code>{'{relation}_id'}</code>; both hold the parent’s id. What
          makes them the same is the relation’s name, whatever the case of its letters, and both must point at the same
          object. The parent’s side, <code>via</code> in Helium and <code>has-many</code> in Journey, holds no data: its
          name may differ.
        </p>
        <ExampleView example={parentExample} />
      </section>
      <section>
        <h2>Two relations to one object</h2>
        <p>
          Give each a name that says what it is for. Journey then needs <code>inverse-of</code> on each{' '}
          <code>has-many</code>, because the model alone no longer says which one is meant.
        </p>
        <ExampleView example={twoRelationsExample} />
      </section>
      <section>
        <h2>A relation to itself</h2>
        <p>
          Trees work like any other relation, in any depth. Even a circle is carried over: it is written in two steps.
        </p>
        <ExampleView example={selfRelationExample} />
      </section>
      <section>
        <h2>Instead of many to many and one to one</h2>
        <p>
          Journey has neither <code>@ManyToMany</code> nor <code>@OneToOne</code>. Mark such relations{' '}
          <code>@NotTracked</code> in Helium: they go on working there, and are left out of the sync. What devices need
          is written as an object of its own between the two.
        </p>
        <ExampleView example={insteadOfManyToManyExample} />
      </section>
    </div>
  );
}
