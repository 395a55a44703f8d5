/** A data model of visits with a photo, for tests of files. */
export const visitWithPhoto = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;
