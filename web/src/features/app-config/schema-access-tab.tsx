import { Button, Select, TextInput } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { IconHammer } from '@tabler/icons-react';
import styles from './app-config.module.css';

/** The place of granting a team access to this app's schema; its issue brings it to life. */
export function SchemaAccessTab({ app }: { app: App }) {
  return (
    <div className={styles.schemaAccess}>
      <TextInput label="App" value={`${app.name} (${app.schemaName})`} readOnly />
      <Select label="Team" placeholder="Not built yet" data={[]} disabled />
      <Button disabled>Grant Access</Button>
      <p className={styles.note}>
        <IconHammer size={16} stroke={1.6} aria-hidden />
        Granting a team access from here is not built yet.
      </p>
    </div>
  );
}
