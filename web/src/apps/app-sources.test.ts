import { expect, it } from 'vitest';
import { indexSources } from './app-sources.ts';

const toApp = (id: string) => ({ id, name: id, fqdn: `${id}.example.org`, schemaName: id });

it('finds the data source of each app, also while another data source does not respond', () => {
  const sources = [
    { dataSource: 'main', apps: [toApp('farms'), toApp('clinics')] },
    { dataSource: 'silent', apps: undefined },
    { dataSource: 'second', apps: [toApp('stock')] },
  ];
  expect(Object.fromEntries(indexSources(sources))).toEqual({ farms: 'main', clinics: 'main', stock: 'second' });
});

it('does not choose between several data sources that contain the schema of an app', () => {
  const sources = ['main', 'copy', 'older copy'].map((dataSource) => ({ dataSource, apps: [toApp('farms')] }));
  expect(indexSources(sources).size).toBe(0);
});
