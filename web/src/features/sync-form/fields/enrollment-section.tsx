import {
  type EnrollmentType,
  enrollmentTypeSchema,
  fieldHintTexts,
  updateIntervalChoices,
} from '@portal/contract/sync/enrollment';
import { getAttributeLabel } from '../../../sync/field-labels.ts';
import { paths } from '../draft/draft.ts';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';
import { useEnrollmentTemplate } from '../use-sync-calls.ts';
import { enrollmentGroups, type FieldGroup, type NamedField } from './enrollment-groups.ts';
import { ChoiceField, TextField, ToggleField } from './form-fields.tsx';
import { Collapsible, FormSection, useOpenState } from './form-section.tsx';

const modes = [
  { value: 'user', label: 'Single device per user' },
  { value: 'session', label: 'Multiple devices per user' },
] as const;

const intervals = updateIntervalChoices.map((mins) => ({ value: String(mins), label: `${mins} minutes` }));
const enrollmentPath = (name: string) => `${paths.enrollment}.${name}`;

/**
 * The section that syncs Journey's users into a Helium object. Its fields show while enrollment is
 * enabled.
 */
export function EnrollmentSection({ appId }: { appId: string }) {
  const { form } = useForm();
  const isEnabled = form.isOn(enrollmentPath('enabled'));
  const template = useEnrollmentTemplate(appId, (loaded) => form.changeEnrollment({ ...loaded, enabled: isEnabled }));
  const mode = form.value(enrollmentPath('type')) === 'session' ? 'session' : 'user';
  const [hasHadProblems] = useOpenState(form.problems.some(({ field }) => field.startsWith(`${paths.enrollment}.`)));
  const choose = (value: string) => {
    const next = enrollmentTypeSchema.safeParse(value);
    if (!next.success || next.data === mode) return;
    // The mode that is stored has its stored names; only those of the other come from a template.
    if (next.data === form.storedEnrollment.type)
      form.changeEnrollment({ ...form.storedEnrollment, enabled: isEnabled });
    else template.mutate(next.data);
  };
  return (
    <FormSection
      title="Journey to Helium enrollment"
      note="Syncs Journey's users, their codes and devices to attributes of Helium objects."
    >
      <div className={styles.toggles}>
        <ToggleField path={enrollmentPath('enabled')} description="Syncs users and handles requests from Helium" />
      </div>
      {isEnabled || hasHadProblems ? (
        <Fields mode={mode} pending={template.isPending} onChoose={choose} />
      ) : (
        <p className={styles.quiet}>
          Enable enrollment to choose the mode, the objects and the names of their attributes.
        </p>
      )}
    </FormSection>
  );
}

function Fields(props: { mode: EnrollmentType; pending: boolean; onChoose: (mode: string) => void }) {
  const { mode, pending, onChoose } = props;
  const { form } = useForm();
  return (
    <>
      <div className={styles.fields}>
        <ChoiceField
          path={enrollmentPath('type')}
          choices={modes}
          description="Changing the mode loads a new template for all names; changing it back restores the stored ones"
          pending={pending}
          onChoose={onChoose}
        />
        <ChoiceField
          path={enrollmentPath('updateIntervalMins')}
          label="Update interval"
          choices={intervals}
          description="How often to check Journey’s users"
        />
        <TextField path={enrollmentPath('heliumObjectName')} description="The object with a row for each user" mono />
        <TextField path={enrollmentPath('journeyObjectName')} description="The user model; not all uppercase" mono />
      </div>
      {!form.isOn('enableHeliumToJourney') && (
        <p className={styles.notice} role="note">
          Requests to enroll or authenticate again only work while Helium to Journey is enabled.
        </p>
      )}
      {enrollmentGroups[mode].map((group) => (
        <Group key={`${mode} ${group.title}`} group={group} />
      ))}
    </>
  );
}

function Group({ group }: { group: FieldGroup }) {
  const { form } = useForm();
  const { title, note, objectName, fields, advanced } = group;
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      <p className={styles.quiet}>{note}</p>
      <div className={styles.fields}>
        {objectName && <TextField path={enrollmentPath(objectName)} description="Name of the Helium object" mono />}
        {fields.map((field) => (
          <AttributeField key={field.path} field={field} />
        ))}
      </div>
      {advanced.length > 0 && (
        <Collapsible
          summary={`Show ${advanced.length} more fields for ${title.toLowerCase()}`}
          isNeeded={advanced.some(({ path }) => form.getError(enrollmentPath(path)) !== null)}
        >
          <div className={styles.fields}>
            {advanced.map((field) => (
              <AttributeField key={field.path} field={field} />
            ))}
          </div>
        </Collapsible>
      )}
    </fieldset>
  );
}

/** An input for the name of an attribute, with the attribute's required type as its hint. */
function AttributeField({ field: { path, hint } }: { field: NamedField }) {
  return (
    <TextField
      path={enrollmentPath(path)}
      label={`${getAttributeLabel(path)} field name`}
      description={fieldHintTexts[hint]}
      mono
    />
  );
}
