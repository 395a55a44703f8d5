import { userFieldHints } from '@portal/contract/sync/enrollment';
import { ExampleView } from '../examples/example-view.tsx';
import { singleDeviceExample } from '../examples/examples.ts';
import styles from '../sync-guide.module.css';
import { FieldTable } from './field-table.tsx';

const descriptions: Readonly<Record<keyof typeof userFieldHints, string>> = {
  allowedAccessFieldName: 'Whether the user may use the app: true unless Journey has locked them. Written by the sync.',
  enrolledFieldName: 'Whether a device is enrolled. Written by the sync.',
  journeyLauncherVersionFieldName:
    'The version of the Journey container on the device, such as 3.30.3. Written by the sync.',
  deviceOsFieldName: 'The device’s operating system. Written by the sync.',
  performReEnrollmentFieldName: 'Set it to true to enroll again. The sync sets it back to false when that is done.',
  generateEnrollmentCodeFieldName: 'Set it to true to get a code. The sync sets it back to false.',
  deviceModelFieldName: 'Make and model of the device. Written by the sync.',
  lastConnectedFieldName: 'When the device last connected to Journey. Written by the sync.',
  barcodeFieldName: 'The content of the QR code that enrolls a device. Written by the sync.',
  urlFieldName: 'The URL that enrolls the device it is opened on. Written by the sync.',
  reEnrollmentLastProcessedFieldName: 'When the last re-enrollment was processed. Written by the sync.',
  enrollmentCodeFieldName: 'The requested code. Written by the sync.',
};

export function SingleDeviceTab() {
  return (
    <div className={styles.text}>
      <section>
        <h2>User and child</h2>
        <p>
          Each user has one device. The Helium user object and Journey’s user model are synced like any other pair, so a
          user created in Helium also exists in Journey. At each update interval, Journey’s device data is written to
          attributes of the user. These attributes need no field in Journey.
        </p>
        <ExampleView example={singleDeviceExample} />
      </section>
      <section>
        <h2>The fields</h2>
        <p>
          The form suggests the names from the example. A field left empty is not stored. Re-enrollment and codes are
          processed only while Helium-to-Journey sync is enabled. Until then, a flag keeps its value.
        </p>
        <FieldTable label="Fields of the user" hints={userFieldHints} descriptions={descriptions} />
      </section>
    </div>
  );
}
