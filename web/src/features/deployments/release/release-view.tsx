import { instructionsWhenEmpty } from '@portal/contract/deployments-rules';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { getServerNow } from '../../../api/server-clock.ts';
import { createZoneFormatter } from '../../../format/instants.ts';
import { useRefusal, useSession } from '../../../session/use-session.ts';
import { useTeamRefusal } from '../../../session/use-subject-refusal.ts';
import { useAddressValue } from '../../../state/use-address.ts';
import { Page } from '../../../ui/page.tsx';
import { PlatformLines } from '../../../ui/platform-text.tsx';
import { TimeDistance } from '../../../ui/relative-time.tsx';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import { ScheduleChip } from '../schedule/outcome-chip.tsx';
import { useResolveDialog } from '../schedule/resolve-modal.tsx';
import { ScheduleActions } from '../schedule/schedule-actions.tsx';
import { ScheduleFacts } from '../schedule/schedule-facts.tsx';
import { ScheduleHistory } from '../schedule/schedule-history.tsx';
import { ScheduleWizard } from '../wizard/schedule-wizard.tsx';
import styles from './release.module.css';
import { ReleaseConflicts } from './release-conflicts.tsx';
import { ReleaseSteps } from './release-steps.tsx';
import { ReleaseTag } from './release-tag.tsx';
import type { Release } from './use-release.ts';

/** The page of one release. What belongs to other features is provided by the screen. */
export function ReleaseView(props: {
  release: Release;
  apps: ReactNode;
  onCall: ReactNode;
  /** What the release has left behind, as sentences. */
  remarks: readonly string[];
}) {
  const { schedule, steps, conflicts } = props.release;
  const { session } = useSession();
  const { timeZone } = session.environment;
  const navigate = useNavigate();
  const resolve = useResolveDialog(schedule.id, props.remarks);
  const refusal = useRefusal('deployments.change');
  const changeRefusal = useTeamRefusal('deployments.change', schedule.team, schedule.appIds);
  const isResolved = schedule.scheduleStatus === 'RESOLVED';
  const [wizard, openWizard] = useAddressValue('wizard', 'closed', isWizard);
  const at = <ZoneTime at={schedule.deploymentDate} timeZone={timeZone} />;
  return (
    <Page
      crumbs={[{ label: 'Scheduled Deployments', to: '/deployments' }, { label: schedule.releaseName }]}
      title={schedule.releaseName}
      chips={<ScheduleChip schedule={schedule} />}
      lead={
        <>
          {at}, <TimeDistance at={schedule.deploymentDate} /> · {schedule.team} · {schedule.jiraProject}
        </>
      }
      actions={
        <ScheduleActions
          schedule={schedule}
          refusal={refusal}
          handlers={{
            update: () => openWizard('update'),
            clone: () => openWizard('clone'),
            resolve: resolve.ask,
          }}
          withLabels
        />
      }
    >
      {schedule.instructions !== instructionsWhenEmpty && (
        <section className={styles.instructions} aria-label="Instructions">
          <PlatformLines text={schedule.instructions} />
        </section>
      )}
      <div className={styles.columns}>
        <div className={styles.apps}>{props.apps}</div>
        <div className={styles.side}>
          <Section title={<>On call at {at}</>}>{props.onCall}</Section>
          {!isResolved && (
            <Section title="Conflicts">
              <ReleaseConflicts conflicts={conflicts} timeZone={timeZone} />
            </Section>
          )}
          <Section title="Release Tag">
            <ReleaseTag
              release={props.release}
              today={createZoneFormatter(timeZone)(new Date(getServerNow())).slice(0, 10)}
            />
          </Section>
        </div>
        <div className={styles.work}>
          <Section title="Steps">
            <ReleaseSteps
              scheduleId={schedule.id}
              steps={steps}
              refusal={isResolved ? 'This deployment is already resolved.' : changeRefusal}
            />
          </Section>
          <Section title="Details">
            <ScheduleFacts schedule={schedule} product={session.product} timeZone={timeZone} />
          </Section>
          <ScheduleHistory schedule={schedule} />
        </div>
      </div>
      <ScheduleWizard
        purpose={wizard === 'closed' ? null : { kind: wizard, id: schedule.id }}
        origin={schedule}
        onClose={() => openWizard('closed')}
        onSaved={({ id }) => {
          if (id === schedule.id) openWizard('closed');
          else void navigate({ to: '/deployments/$schedule', params: { schedule: id } });
        }}
      />
      {resolve.dialog}
    </Page>
  );
}

/** Shown while a release cannot be. */
export function ReleasePlaceholder({ children }: { children: ReactNode }) {
  return (
    <Page crumbs={[{ label: 'Scheduled Deployments', to: '/deployments' }, { label: 'Release' }]} title="Release">
      {children}
      <p>
        <Link to="/deployments">Back to the deployments</Link>
      </p>
    </Page>
  );
}

function Section({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function isWizard(text: string): text is 'closed' | 'update' | 'clone' {
  return text === 'closed' || text === 'update' || text === 'clone';
}
