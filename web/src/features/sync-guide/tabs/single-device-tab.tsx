import { userFieldHints } from '@portal/contract/sync-enrollment';
import { ExampleView } from '../examples/example-view.tsx';
import { singleDeviceExample } from '../examples/examples.ts';
import styles from '../sync-guide.module.css';
import { FieldTable } from './field-table.tsx';

const meanings: Readonly<Record<keyof typeof userFieldHints, string>> = {
  allowedAccessFieldName:
    'Whether the person may use the app: true unless Journey has locked them. Written by the sync.',
  enrolledFieldName: 'Whether a device is enrolled. Written by the sync.',
  journeyLauncherVersionFieldName: 'The version of the Journey container on the device, 3.30.3. Written by the sync.',
  deviceOsFieldName: 'The device’s operating system. Written by the sync.',
  performReEnrollmentFieldName: 'Set it to true to enroll anew. The sync sets it back to false once that is done.',
  generateEnrollmentCodeFieldName: 'Set it to true to get a code. The sync sets it back to false.',
  deviceModelFieldName: 'Maker and model of the device. Written by the sync.',
  lastConnectedFieldName: 'When the device last spoke to Journey. Written by the sync.',
  barcodeFieldName: 'The text a QR code must show to enroll a device. Written by the sync.',
  urlFieldName: 'The address that enrolls the device it is opened on. Written by the sync.',
  reEnrollmentLastProcessedFieldName: 'When a re-enrollment was last carried out. Written by the sync.',
  enrollmentCodeFieldName: 'The code that was asked for. Written by the sync.',
};

export function SingleDeviceTab() {
  return (
    <div className={styles.text}>
      <section>
        <h2>User and child</h2>
        <p>
          One device for each person. The Helium object of the users and Journey’s user model are synced like any other
          pair, so that a user made in Helium is one in Journey. What Journey tells of the device is written into
          attributes of the user, at each update interval. These attributes need no field in Journey.
        </p>
        <ExampleView example={singleDeviceExample} />
      </section>
      <section>
        <h2>The fields</h2>
        <p>
          The form proposes the names of the example. A field that is left empty is not kept. Re-enrollment and codes
          are carried out only while Helium-to-Journey sync is enabled; until then a flag stays as it was set.
        </p>
        <FieldTable label="Fields of the user" hints={userFieldHints} meanings={meanings} />
      </section>
    </div>
  );
}
