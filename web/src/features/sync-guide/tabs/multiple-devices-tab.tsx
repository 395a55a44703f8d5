import {
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
} from '@portal/contract/sync/enrollment';
import { ExampleView } from '../examples/example-view.tsx';
import { multipleDevicesExample } from '../examples/examples.ts';
import styles from '../sync-guide.module.css';
import { FieldTable } from './field-table.tsx';

const userDescriptions: Readonly<Record<keyof typeof sessionUserFieldHints, string>> = {
  generateEnrollmentCodeFieldName: 'Set it to true to get a code. The sync sets it back to false.',
  enrollmentCodeFieldName: 'The requested code. Written by the sync.',
  lockedFieldName: 'Set it to true to lock the user and to false to unlock them. It also shows a lock made in Journey.',
  lastConnectedAtFieldName: 'When any device of the user last connected to Journey. Written by the sync.',
  enrolledFieldName: 'Whether any device is enrolled. Written by the sync.',
};

const sessionDescriptions: Readonly<Record<keyof typeof sessionObjectFieldHints, string>> = {
  stateFieldName: 'ENROLLED, LOCKED, RESET or NEVER_ENROLLED, as Journey reports it.',
  lastAuthenticatedAtFieldName: 'When the user last signed in on this device.',
  createdAtFieldName: 'When the session started.',
  heliumObjectFkFieldName: 'The relation to the user.',
  performReAuthenticateFieldName: 'Set it to true to make the user sign in again. The sync sets it back to false.',
  reAuthenticateLastProcessedFieldName: 'When the last re-authentication was processed.',
  signedOutAtFieldName: 'When the session was signed out. It stays after a new sign-in.',
  lastConnectedAtFieldName: 'When this device last connected to Journey.',
  labelFieldname: 'Journey’s name for the device.',
};

const containerDescriptions: Readonly<Record<keyof typeof sessionContainerObjectFieldHints, string>> = {
  versionFieldName: 'The container’s version, such as 3.30.3.',
  bundleIdFieldName: 'Its id in the app store.',
  platformFieldName: 'The platform it is built for.',
  sessionObjectFkFieldName: 'The relation to the session.',
};

export function MultipleDevicesTab() {
  return (
    <div className={styles.text}>
      <section>
        <h2>User, sessions and child</h2>
        <p>
          Each user can have several devices. The Journey app must allow “Multiple devices per user”. Users are synced
          like any other pair. Each device that a user signed in on is a session, linked to the container the app runs
          in.
        </p>
        <p>
          At each update interval, the sync makes the session and container objects match what Journey has. It deletes
          rows you added there, and clears relations of other objects to sessions that have ended. Store your own data
          in other objects.
        </p>
        <ExampleView example={multipleDevicesExample} />
      </section>
      <section>
        <h2>Fields of the user</h2>
        <p>
          A locked user is signed out of every session and cannot log in. Locks, codes and re-authentication are
          processed only while Helium-to-Journey sync is enabled. Until then, a flag keeps its value.
        </p>
        <FieldTable label="Fields of the user" hints={sessionUserFieldHints} descriptions={userDescriptions} />
      </section>
      <section>
        <h2>Fields of the session</h2>
        <FieldTable label="Fields of the session" hints={sessionObjectFieldHints} descriptions={sessionDescriptions} />
      </section>
      <section>
        <h2>Fields of the container</h2>
        <p>Containers are optional: to skip them, leave the object and all of its fields empty.</p>
        <FieldTable
          label="Fields of the container"
          hints={sessionContainerObjectFieldHints}
          descriptions={containerDescriptions}
        />
      </section>
    </div>
  );
}
