/**
 * The code examples of the guide in both languages. Each is a file of its own, so that a test can
 * sync a record with it and prove that the example works.
 */
import dataTypesHelium from './data-types.mez?raw';
import dataTypesJourney from './data-types.xml?raw';
import insteadHelium from './instead-of-many-to-many.mez?raw';
import insteadJourney from './instead-of-many-to-many.xml?raw';
import multipleHelium from './multiple-devices.mez?raw';
import multipleJourney from './multiple-devices.xml?raw';
import parentHelium from './parent-and-child.mez?raw';
import parentJourney from './parent-and-child.xml?raw';
import itselfHelium from './relation-to-itself.mez?raw';
import itselfJourney from './relation-to-itself.xml?raw';
import singleHelium from './single-device.mez?raw';
import singleJourney from './single-device.xml?raw';
import twoHelium from './two-relations.mez?raw';
import twoJourney from './two-relations.xml?raw';

/** The same objects in both languages. */
export interface Example {
  readonly title: string;
  readonly helium: string;
  readonly journey: string;
}

export const dataTypesExample: Example = { title: 'Data types', helium: dataTypesHelium, journey: dataTypesJourney };

export const parentExample: Example = { title: 'Parent and child', helium: parentHelium, journey: parentJourney };

export const twoRelationsExample: Example = {
  title: 'Two relations to one object',
  helium: twoHelium,
  journey: twoJourney,
};

export const selfRelationExample: Example = {
  title: 'A relation to itself',
  helium: itselfHelium,
  journey: itselfJourney,
};

export const insteadOfManyToManyExample: Example = {
  title: 'Instead of many to many',
  helium: insteadHelium,
  journey: insteadJourney,
};

export const singleDeviceExample: Example = { title: 'User and child', helium: singleHelium, journey: singleJourney };

export const multipleDevicesExample: Example = {
  title: 'User, sessions and child',
  helium: multipleHelium,
  journey: multipleJourney,
};
