/** A deployment for tests with a field of every type. */
import type { DeploymentDefinition } from './definition.ts';

export const smallSchema = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="region" label="Region">
    <field name="name" label="Name" type="text:name"/>
    <has-many model="farmer" name="farmers"/>
    <display>{name}</display>
    <webhook type="update" name="region_update"/>
  </model>
  <model name="farmer" label="Farmer">
    <field name="name" label="Name" type="text:name"/>
    <field name="age" label="Age" type="integer"/>
    <field name="hectares" label="Hectares" type="number"/>
    <field name="active" label="Active" type="boolean"/>
    <field name="born_on" label="Born on" type="date"/>
    <field name="seen_at" label="Seen at" type="datetime"/>
    <field name="grade" label="Grade" type="single-choice">
      <option key="a">A &amp; better</option>
      <option key="b">B</option>
    </field>
    <field name="tier" label="Tier" type="single-choice-integer">
      <option key="1">First</option>
      <option key="2">Second</option>
    </field>
    <field name="crops" label="Crops" type="multiple-choice">
      <option key="maize">Maize</option>
      <option key="beans">Beans</option>
      <option key="tea">Tea</option>
    </field>
    <field name="home" label="Home" type="location"/>
    <field name="portrait" label="Portrait" type="photo"/>
    <field name="consent" label="Consent" type="signature"/>
    <field name="contract" label="Contract" type="attachment" media="any"/>
    <belongs-to model="region"/>
    <index on="name,-age" database="app,cloud"/>
    <display>{name} ({region.name})</display>
    <webhook type="update" name="farmer_update"/>
  </model>
  <model name="user" label="User">
    <field name="name" label="Name" type="text:name"/>
    <field name="email" label="Email" type="text:email"/>
    <display>{name}</display>
    <webhook type="update" name="user_update"/>
  </model>
</data-model>
`;

/** Has no rate limit and no activity, so nothing happens except what a test does. */
export const smallDeployment: DeploymentDefinition = {
  id: '5f1a2b3c4d5e6f7081920a0b',
  password: 'journey-secret',
  tokens: { sync: 'token-of-the-sync' },
  schemaXml: smallSchema,
  rateLimit: 'off',
  label: 'Farmers, testing',
  appLabel: 'Farmers',
  environment: 'testing',
  region: 'eu',
};
