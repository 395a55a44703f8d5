import {
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
} from '@portal/contract/sync-enrollment';
import { ExampleView } from '../examples/example-view.tsx';
import { multipleDevicesExample } from '../examples/examples.ts';
import styles from '../sync-guide.module.css';
import { FieldTable } from './field-table.tsx';

const userMeanings: Readonly<Record<keyof typeof sessionUserFieldHints, string>> = {
  generateEnrollmentCodeFieldName: 'Set it to true to get a code. The sync sets it back to false.',
  enrollmentCodeFieldName: 'The code that was asked for. Written by the sync.',
  lockedFieldName:
    'Set it to true to lock the person, to false to let them in again. Shows a lock made in Journey too.',
  lastConnectedAtFieldName: 'When any device of the person last spoke to Journey. Written by the sync.',
  enrolledFieldName: 'Whether any device is enrolled. Written by the sync.',
};

const sessionMeanings: Readonly<Record<keyof typeof sessionObjectFieldHints, string>> = {
  stateFieldName: 'ENROLLED, LOCKED, RESET or NEVER_ENROLLED, as Journey says it.',
  lastAuthenticatedAtFieldName: 'When the person last signed in on this device.',
  createdAtFieldName: 'When the session began.',
  heliumObjectFkFieldName: 'The relation to the user.',
  performReAuthenticateFieldName: 'Set it to true to have the person sign in again. The sync sets it back to false.',
  reAuthenticateLastProcessedFieldName: 'When that was last carried out.',
  signedOutAtFieldName: 'When the session was signed out; it stays after a new sign-in.',
  lastConnectedAtFieldName: 'When this device last spoke to Journey.',
  labelFieldname: 'What Journey calls the device.',
};

const containerMeanings: Readonly<Record<keyof typeof sessionContainerObjectFieldHints, string>> = {
  versionFieldName: 'The container’s version, 3.30.3.',
  bundleIdFieldName: 'Its id in the app store.',
  platformFieldName: 'The platform it is made for.',
  sessionObjectFkFieldName: 'The relation to the session.',
};

export function MultipleDevicesTab() {
  return (
    <div className={styles.text}>
      <section>
        <h2>User, sessions and child</h2>
        <p>
          Several devices for each person; the Journey app must allow “Multiple devices per user”. Users are synced like
          any other pair. Each device somebody signed in on is a session, with the container the app runs in beside it.
        </p>
        <p>
          At each update interval the objects of sessions and containers are made to hold exactly what Journey tells. A
          row you add there is gone with the next round, and relations of other objects to a session that has ended are
          cleared. Keep what is yours in objects of your own.
        </p>
        <ExampleView example={multipleDevicesExample} />
      </section>
      <section>
        <h2>Fields of the user</h2>
        <p>
          A locked person is signed out of every session and cannot log in. Locks, codes and signing in again are
          carried out only while Helium-to-Journey sync is enabled; until then a flag stays as it was set.
        </p>
        <FieldTable label="Fields of the user" hints={sessionUserFieldHints} meanings={userMeanings} />
      </section>
      <section>
        <h2>Fields of the session</h2>
        <FieldTable label="Fields of the session" hints={sessionObjectFieldHints} meanings={sessionMeanings} />
      </section>
      <section>
        <h2>Fields of the container</h2>
        <p>Containers may be left out: leave the object and all of its fields empty.</p>
        <FieldTable
          label="Fields of the container"
          hints={sessionContainerObjectFieldHints}
          meanings={containerMeanings}
        />
      </section>
    </div>
  );
}
