import { defaultUpdateIntervalMins, updateIntervalChoices } from '@portal/contract/sync-enrollment';
import { Link } from '@tanstack/react-router';
import { CodeView } from '../../../ui/code-view.tsx';
import type { Section } from './section.ts';

const changeLogHead = `SELECT coalesce(max(seq), 0)
FROM "your_schema"."__he_sync_obj_change__";`;

function MinimumVersions() {
  return (
    <>
      <p>
        Where a new integration begins. Helium numbers the changes of an app in its change log, Journey those of a
        deployment in its op-log. With a minimum version of 0 everything there is on that side is carried over first,
        then every change. With another number only changes after it are: what was there before is taken to be on both
        sides already.
      </p>
      <p>The newest version of Helium, if you mean to begin now:</p>
      <CodeView code={changeLogHead} language="sql" label="Newest change-log version" maxHeightPx={120} />
      <p>
        Journey’s is the <code>sequence</code> that <code>oplog.json?tail=true&amp;limit=1</code> answers. Once the
        integration exists the versions are read-only, because they then say how far it has come.
      </p>
    </>
  );
}

function Enrollment() {
  return (
    <>
      <p>
        With enrollment enabled the sync also looks after the devices of Journey’s users, every{' '}
        {defaultUpdateIntervalMins} minutes unless you choose another interval from {updateIntervalChoices[0]} to{' '}
        {updateIntervalChoices.at(-1)}. The mode must be the one the Journey app is set to:
      </p>
      <ul>
        <li>
          <Link to="/sync-guide" search={{ tab: 'single-device' }}>
            Single device per user
          </Link>
          : device, QR code and re-enrollment stand with the user.
        </li>
        <li>
          <Link to="/sync-guide" search={{ tab: 'multiple-devices' }}>
            Multiple devices per user
          </Link>
          : an object for sessions, one for their containers, and locks.
        </li>
      </ul>
      <p>
        Flags may be bool, or string with Yes or No. Whoever sets one to ask for something finds it set back once it is
        done, and the moment beside it. This needs Helium-to-Journey sync to be enabled.
      </p>
    </>
  );
}

function Upgrades() {
  return (
    <ul>
      <li>
        Disable the integration before a Helium upgrade, and enable it again afterwards. Nothing is lost in between.
      </li>
      <li>
        What is added to both data models is picked up by itself: a new pair of objects is read whole, then followed.
      </li>
      <li>
        A change that breaks a pair, such as another type or a name that is gone, stops that object alone until the
        integration is saved again; the log says what changed. Everything else goes on.
      </li>
      <li>
        An integration that cannot go on, for a wrong password or a log that is shorter than it was, is halted and says
        why. Mend the cause and enable it: it goes on where it stopped.
      </li>
    </ul>
  );
}

export const runningSections: readonly Section[] = [
  { id: 'minimum-versions', title: 'Minimum versions', Content: MinimumVersions },
  { id: 'enrollment', title: 'Enrollment', Content: Enrollment },
  { id: 'upgrades', title: 'Upgrades and halts', Content: Upgrades },
];
