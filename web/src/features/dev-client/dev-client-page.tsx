import { Button, Skeleton } from '@mantine/core';
import type { DevClient } from '@portal/contract/dev-client';
import { IconAlertTriangle, IconCopy, IconDownload, IconRefresh } from '@tabler/icons-react';
import { copyText } from '../../ui/copy-text.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Page } from '../../ui/page.tsx';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import styles from './dev-client.module.css';
import { useDevClient } from './use-dev-client.ts';

/** Shows the latest release of the developer client: the install command and the downloads. */
export function DevClientPage() {
  const { client, problem, isChecking, checkAgain } = useDevClient();
  return (
    <Page
      crumbs={[{ label: 'Helium Dev Client' }]}
      title="Helium Dev Client"
      chips={client && <StatusChip tone="primary" label={`Version ${client.version}`} />}
      lead="Install the latest release with one command, or download it."
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
          loading={isChecking}
          onClick={checkAgain}
        >
          Refresh
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} hasStaleData={client !== undefined} onRetry={checkAgain} />}
      {!client && !problem && <ReleaseSkeleton />}
      {client && <Release client={client} />}
    </Page>
  );
}

function Release({ client }: { client: DevClient }) {
  return (
    <>
      <section className={styles.section} aria-labelledby="install">
        <h2 id="install">Install command</h2>
        <InstallCommand command={client.installCommand} />
      </section>
      <section className={styles.section} aria-labelledby="downloads">
        <h2 id="downloads">Downloads</h2>
        <ul className="entries">
          {[client.client, client.noUiClient].map(({ label, url, sha256, sha1 }) => (
            <li key={url}>
              <a href={url} download rel="noreferrer" className={styles.link}>
                <IconDownload size={17} stroke={1.6} aria-hidden />
                {label}
              </a>
              <span className={styles.sum}>
                <Checksum
                  name={sha256 === null && sha1 !== null ? 'SHA-1' : 'SHA-256'}
                  value={sha256 ?? sha1}
                  of={label}
                />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <p className="note">
        Last checked <RelativeTime at={client.readAt} />.
        {client.problem !== null && (
          <span className={styles.stale}>
            <IconAlertTriangle size={15} stroke={1.6} aria-hidden /> The latest check failed; there may be a newer
            release: {client.problem}
          </span>
        )}
      </p>
    </>
  );
}

function Checksum({ name, value, of }: { name: string; value: string | null; of: string }) {
  return (
    <>
      <span className="note">{name}</span>
      {value === null ? (
        <span className="note">Not published by the repository.</span>
      ) : (
        <Copyable value={value} label={`Copy the ${name} of ${of}:`} />
      )}
    </>
  );
}

function InstallCommand({ command }: { command: string }) {
  const copy = async () => {
    if (await copyText(command)) showSuccess('Copied', 'Paste me into terminal!');
    else showProblem('Not copied', new Error('The browser blocked copying. Select the command and copy it.'));
  };
  return (
    <div className={styles.command}>
      <code>{command}</code>
      <Button
        variant="default"
        leftSection={<IconCopy size={16} stroke={1.6} aria-hidden />}
        onClick={() => void copy()}
      >
        Copy
      </Button>
    </div>
  );
}

function ReleaseSkeleton() {
  return (
    <div aria-busy="true" className={styles.section}>
      <Skeleton height={20} width={140} />
      <Skeleton height={44} />
      <Skeleton height={20} width={140} mt={16} />
      <Skeleton height={44} />
      <Skeleton height={44} />
    </div>
  );
}
