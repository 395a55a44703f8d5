/** Visits with a photo on both sides, for tests of files. */
const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

/** Helium's columns for a file. */
export const fileColumns = (name: string): string[] => [
  `${name} bytea`,
  `${name}_fname__ varchar(255)`,
  `${name}_mtype__ varchar(255)`,
  `${name}_size__ integer`,
];

/** Options of a world in which they are synced. */
export const visitWithPhoto = { tables: { visit: ['note text', ...fileColumns('photo')] }, sql: '', schemaXml };
