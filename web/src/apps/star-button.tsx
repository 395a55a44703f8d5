import { ActionIcon } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { IconStar, IconStarFilled } from '@tabler/icons-react';

/** Stars an app. Starred apps appear on the home page and first in the palette. */
export function StarButton(props: { app: App; starred: boolean; onToggle: (id: string) => void }) {
  const { app, starred } = props;
  const Icon = starred ? IconStarFilled : IconStar;
  const label = `Star ${app.name}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={label}
      aria-pressed={starred}
      title={starred ? 'Remove star' : label}
      onClick={() => props.onToggle(app.id)}
    >
      <Icon size={15} stroke={1.5} color={starred ? 'var(--color-star)' : undefined} aria-hidden />
    </ActionIcon>
  );
}
