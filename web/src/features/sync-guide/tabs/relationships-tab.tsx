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
          The child stores the relation. Helium’s <code>@ManyToOne</code> is the column <code>{'{relation}_fk'}</code>,
          Journey’s <code>belongs-to</code> the field <code>{'{relation}_id'}</code>; both contain the parent’s id.
          Relations are paired by name, ignoring case, and both must point to the same object. The parent’s side,{' '}
          <code>via</code> in Helium and <code>has-many</code> in Journey, stores no data, so its name may differ.
        </p>
        <ExampleView example={parentExample} />
      </section>
      <section>
        <h2>Two relations to one object</h2>
        <p>
          Give each relation a name that describes its purpose. Journey then needs <code>inverse-of</code> on each{' '}
          <code>has-many</code>, because the model alone no longer identifies the relation.
        </p>
        <ExampleView example={twoRelationsExample} />
      </section>
      <section>
        <h2>A relation to itself</h2>
        <p>Trees work like any other relation, at any depth. Cycles are synced too, in two steps.</p>
        <ExampleView example={selfRelationExample} />
      </section>
      <section>
        <h2>Instead of many to many and one to one</h2>
        <p>
          Journey supports neither <code>@ManyToMany</code> nor <code>@OneToOne</code>. Mark such relations{' '}
          <code>@NotTracked</code> in Helium: they keep working there but are not synced. If devices need the data,
          model it as a separate object between the two.
        </p>
        <ExampleView example={insteadOfManyToManyExample} />
      </section>
    </div>
  );
}
