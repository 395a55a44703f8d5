import { createHash } from 'node:crypto';
import fastify from 'fastify';
import { readChildArgument, serveParent } from './inside-child.ts';

/**
 * A platform with many empty apps, because 10,000 real schemas would measure PostgreSQL. It returns
 * the app list for any credentials.
 */
const { amount } = readChildArgument<{ amount: number }>();

const subjects = [
  'Stock',
  'Clinic',
  'Farmer',
  'Vaccine',
  'Delivery',
  'Visit',
  'Pharmacy',
  'Harvest',
  'Payment',
  'Patient',
];
const acts = ['Visibility', 'Registry', 'Monitor', 'Reminders', 'Planner', 'Survey', 'Ledger', 'Connect'];
const apps = Array.from({ length: amount }, (_, at) => {
  const name = `${subjects[at % subjects.length]} ${acts[Math.floor(at / 10) % acts.length]} ${at}`;
  const slug = name.toLowerCase().replaceAll(' ', '-');
  return { id: toAppId(at), name, fqdn: `${slug}.apps.example.org`, schemaName: `${slug.replaceAll('-', '_')}_001` };
});

const platform = fastify();
platform.get('/helium/api/v2/app', () => apps);
await platform.listen({ host: '127.0.0.1', port: 0 });
const address = platform.server.address();
serveParent({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });

function toAppId(at: number): string {
  const hex = createHash('sha1').update(`app ${at}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
