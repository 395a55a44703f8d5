import { defaultUpdateIntervalMins, updateIntervalChoices } from '@portal/contract/sync/enrollment';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { CodeView } from '../../../ui/code-view.tsx';
import knownLimits from '../known-limits.json';
import type { Section } from './section.ts';

const webhookXml = '<webhook type="update" name="farmer_update"/>';

const newestVersionSql = `SELECT coalesce(max(seq), 0)
FROM "your_schema"."__he_sync_obj_change__";`;

function MinimumVersions() {
  return (
    <>
      <p>
        Minimum versions set where a new integration starts. Helium numbers the changes of an app in its change log;
        Journey numbers those of a deployment in its op-log. A minimum version of 0 first syncs all existing records of
        that side, then every change. A higher number syncs only later changes: earlier data is expected to exist on
        both sides already.
      </p>
      <p>To start from the current state, use the newest change-log version:</p>
      <CodeView code={newestVersionSql} language="sql" label="Newest change-log version" maxHeightPx={120} />
      <p>
        For Journey, use the <code>sequence</code> returned by <code>oplog.json?tail=true&amp;limit=1</code>. Once the
        integration exists, the versions are read-only because they show its progress.
      </p>
    </>
  );
}

function Enrollment() {
  return (
    <>
      <p>
        With enrollment enabled, the sync also manages the devices of Journey’s users, every {defaultUpdateIntervalMins}{' '}
        minutes by default. You can choose an interval from {updateIntervalChoices[0]} to {updateIntervalChoices.at(-1)}
        . The mode must match the setting of the Journey app:
      </p>
      <ul>
        <li>
          <Link to="/sync-guide" search={{ tab: 'single-device' }}>
            Single device per user
          </Link>
          : the device, QR code and re-enrollment are attributes of the user.
        </li>
        <li>
          <Link to="/sync-guide" search={{ tab: 'multiple-devices' }}>
            Multiple devices per user
          </Link>
          : separate objects for sessions and their containers, with locks.
        </li>
      </ul>
      <p>
        Flags may be bool, or string with Yes or No. To make a request, set its flag. The sync processes it within two
        seconds, without waiting for the interval. It then resets the flag and records the time in the matching field.
        This requires Helium-to-Journey sync.
      </p>
    </>
  );
}

function Webhooks() {
  return (
    <>
      <p>
        Without webhooks, the sync polls Journey for what devices change: about once a second in the minute after a
        change, and less often while nothing changes. With webhooks, Journey reports each change at once.
      </p>
      <ol>
        <li>
          In the data model of the Journey app, end each synced model with a webhook, and deploy the app:
          <CodeView code={webhookXml} language="xml" label="A webhook in the data model" maxHeightPx={120} />
        </li>
        <li>
          In the form of the integration, copy the webhook address. It exists once the integration is saved, and Journey
          must be able to reach it.
        </li>
        <li>
          In Journey, open Manage Webhooks in the user menu, as a super-user. Enable each webhook and enter the address.
        </li>
        <li>Enter the secrets, which Journey shows there, in the form. A secret has at least 16 characters.</li>
      </ol>
      <p>
        A webhook only has the sync read the op-log: nothing in it is used, and it must be signed with one of the
        secrets. Journey sends none for deletions, and may lose some. So the op-log is still polled about once a minute,
        and as often as without webhooks for an hour after a change that none had reported.
      </p>
    </>
  );
}

function Upgrades() {
  return (
    <ul>
      <li>
        Disable the integration before a Helium upgrade, and enable it again afterwards. No changes are lost in between.
      </li>
      <li>
        Additions to both data models are detected automatically: a new pair of objects is read completely, then kept in
        sync.
      </li>
      <li>
        A change that breaks a pair, such as another type or a removed name, stops only that object until the
        integration is saved again. The log shows what changed. Everything else keeps syncing.
      </li>
      <li>
        An integration that cannot continue, because of a wrong password or a truncated log for example, is halted with
        a reason. Fix the cause and enable it: it resumes where it stopped.
      </li>
      <li>
        An integration also halts before it would delete many records that are absent on one side, and after one side
        was restored from a backup. Nothing is changed until you decide: the list of integrations marks it, and its
        records show what each answer creates, changes and deletes.
      </li>
      <li>
        An integration that syncs in one direction only follows the side that it reads. What people change on the other
        side stays there: a comparison, once a day or on request, lists it under Differences.
      </li>
    </ul>
  );
}

function KnownLimits() {
  return (
    <>
      <p>
        What the sync does not notice or cannot keep apart. None of it is a reason to act, unless your app depends on
        it.
      </p>
      {knownLimits.map(({ title, limits }) => (
        <Fragment key={title}>
          <h3>{title}</h3>
          <ul>
            {limits.map((limit) => (
              <li key={limit}>
                <WithCode text={limit} />
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </>
  );
}

/** Shows a text, in which every second part between backticks is code. */
function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}

export const runningSections: readonly Section[] = [
  { id: 'minimum-versions', title: 'Minimum versions', Content: MinimumVersions },
  { id: 'enrollment', title: 'Enrollment', Content: Enrollment },
  { id: 'webhooks', title: 'Webhooks', Content: Webhooks },
  { id: 'upgrades', title: 'Upgrades and halts', Content: Upgrades },
  { id: 'known-limits', title: 'Known limits', Content: KnownLimits },
];
