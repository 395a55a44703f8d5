import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.layer.css';
import { useAddressValue } from '../../state/use-address.ts';
import { Page } from '../../ui/page.tsx';
import styles from './sync-guide.module.css';
import { GuideTab } from './tabs/guide-tab.tsx';
import { MultipleDevicesTab } from './tabs/multiple-devices-tab.tsx';
import { RelationshipsTab } from './tabs/relationships-tab.tsx';
import { SingleDeviceTab } from './tabs/single-device-tab.tsx';

const tabs = [
  { id: 'guide', title: 'Guide', Content: GuideTab },
  { id: 'relationships', title: 'Relationships', Content: RelationshipsTab },
  { id: 'single-device', title: 'Single device per user', Content: SingleDeviceTab },
  { id: 'multiple-devices', title: 'Multiple devices per user', Content: MultipleDevicesTab },
] as const;

type TabId = (typeof tabs)[number]['id'];
const isTab = (text: string): text is TabId => tabs.some(({ id }) => id === text);

/** Explains how to write a Helium app and a Journey app so that their data can be synced. */
export function SyncGuidePage() {
  const [tab, setTab] = useAddressValue('tab', 'guide', isTab);
  return (
    <Page
      crumbs={[{ label: 'Sync', to: '/sync' }, { label: 'Guide' }]}
      title="Sync guide"
      lead="How to write a Helium app and a Journey app so that their data syncs."
    >
      <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
        <Tabs.List aria-label="Parts of the guide">
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, Content }) => (
          <Tabs.Panel key={id} value={id} className={styles.panel}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
