import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { getServerNow } from '../../../api/server-clock.ts';
import { describeZone, parseWallClock, toWallClock } from '../../../format/wall-clock.ts';
import { useSession } from '../../../session/use-session.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import { DateField } from './date-field.tsx';
import { type DraftFields, readTagFields, type TagFields } from './draft.ts';
import styles from './wizard.module.css';

const maxInstructionsLength = 10_000;
const saidByTag = 'Filled in from the tag';

/** The second step: what is released, and when. */
export function ReleaseStep(props: {
  fields: DraftFields;
  settings: { sourceControlPrefix: string; timeZone: string };
  invalidField: keyof DraftFields | null;
  onChange: (fields: Partial<DraftFields>) => void;
}) {
  const { fields, invalidField, onChange } = props;
  const { sourceControlPrefix, timeZone } = props.settings;
  const { session } = useSession();
  const [openedAt] = useState(() => new Date(getServerNow()));
  const at = parseWallClock(fields.deploymentDate, timeZone);
  /** What the tag filled in, and which of it is unchanged. */
  const [fromTag, setFromTag] = useState<TagFields>({});
  const isFromTag = (name: keyof TagFields) => fromTag[name] !== undefined && fields[name] === fromTag[name];
  const changeTag = (releaseTag: string) => {
    const { product } = session;
    const said = readTagFields({ ...fields, releaseTag }, fromTag, {
      product,
      timeZone,
      now: new Date(getServerNow()),
    });
    if (Object.keys(said).length > 0) setFromTag({ ...fromTag, ...said });
    onChange({ releaseTag, ...said });
  };
  const day = fields.deploymentDate?.slice(0, 10).replaceAll('-', '') ?? '{YYYYMMDD}';
  return (
    <div className={styles.releaseFields}>
      <TextInput
        className={styles.wide}
        label="Release Tag"
        description={
          <LongWords text="Its URL: a repository commits-tag link ending in DEPLOY_{releaseGroup}_{YYYYMMDD}" />
        }
        placeholder={`${sourceControlPrefix}…/commits/tag/DEPLOY_${fields.releaseGroup.trim() || '{releaseGroup}'}_${day}`}
        value={fields.releaseTag}
        onChange={(event) => changeTag(event.currentTarget.value)}
        error={invalidField === 'releaseTag'}
        required
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        data-autofocus
      />
      <TextInput
        label="Helium Release Group"
        description={isFromTag('releaseGroup') ? saidByTag : `A product name, used to filter ${session.product}`}
        value={fields.releaseGroup}
        onChange={(event) => onChange({ releaseGroup: event.currentTarget.value })}
        error={invalidField === 'releaseGroup'}
        required
        maxLength={500}
        autoComplete="off"
      />
      <TextInput
        label="Helium Release Name"
        description={isFromTag('releaseName') ? saidByTag : `Format: ${session.product} - {YYYYMMDD}`}
        placeholder={`${session.product} - ${day}`}
        value={fields.releaseName}
        onChange={(event) => onChange({ releaseName: event.currentTarget.value })}
        error={invalidField === 'releaseName'}
        required
        maxLength={500}
        autoComplete="off"
      />
      <DateField
        value={fields.deploymentDate}
        firstDay={toWallClock(openedAt, timeZone).slice(0, 10)}
        description={`${isFromTag('deploymentDate') ? `${saidByTag}, in` : 'In'} ${describeZone(timeZone, at ?? openedAt)}`}
        isInvalid={invalidField === 'deploymentDate'}
        onChange={(deploymentDate) => onChange({ deploymentDate })}
      />
      <Textarea
        className={styles.wide}
        label="Instructions"
        description="Optional: notes for the person deploying. Only people with the release manager role can create the release."
        value={fields.instructions}
        onChange={(event) => onChange({ instructions: event.currentTarget.value })}
        maxLength={maxInstructionsLength}
        autosize
        minRows={3}
        maxRows={10}
      />
    </div>
  );
}
