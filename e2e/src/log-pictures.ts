import type { Picture } from './picture-stage.ts';
import { seen } from './user-actions.ts';

const health = 'Community Health';

/** An app's live log. */
export const logPictures: readonly Picture[] = [
  {
    name: 'logs',
    phone: true,
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
    },
  },
  {
    name: 'logs-searched',
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}?find=gateway&mode=filter`);
      await log(app(health), chatter);
      await seen(page.getByText(/\d+ match/));
    },
  },
  {
    name: 'logs-paused',
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
      await page.keyboard.press(' ');
      await log(app(health), chatter);
      await seen(page.getByText(/^Paused \([1-9]/));
    },
  },
  {
    name: 'logs-fields',
    phone: true,
    async show({ page, open, app, log }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), structured);
      await page.getByRole('button', { name: 'Show the fields' }).last().click();
      await seen(page.getByRole('region', { name: 'Fields of the line' }));
    },
  },
  {
    name: 'logs-interrupted',
    async show({ page, open, app, log, line }) {
      await open(`/logs/${app(health).id}`);
      await seen(page.getByText('Following', { exact: true }));
      await log(app(health), chatter);
      await seen(page.getByText('SocketTimeoutException').first());
      line.down();
      await seen(page.getByText(/The stream is interrupted/));
    },
  },
];

const structured = [
  { key: 'DEBUG', value: 'Query plan of visit_by_clinic reused' },
  { key: 'TRACE', value: 'enter Visits.open(48213)' },
  { key: 'INFO', value: '\u001b[32mGET\u001b[0m /visits/48213 \u001b[1;33m304\u001b[0m in \u001b[36m12 ms\u001b[0m' },
  { key: 'INFO', value: `Imported rows: ${Array.from({ length: 4000 }, (_, row) => row).join(' ')}` },
  {
    key: 'INFO',
    value: JSON.stringify({
      level: 'warn',
      request: { id: 'f3a1', path: '/stock' },
      user: 'thandi@example.org',
      tookMs: 812,
    }),
  },
];

const chatter = [
  { key: 'INFO', value: 'Visit 48213 opened by community health worker 0112' },
  { key: 'INFO', value: 'Synchronized 42 visits of Chipata Clinic in 0.8 s' },
  { key: 'WARNING', value: 'Visit 48190 has no consent form; reminder queued' },
  { key: 'INFO', value: 'Stock count received from Mongu Depot: 218 items' },
  {
    key: 'SEVERE',
    value: `com.mezzanineware.dsl.runtime.http.OutboundApiException: Outbound API call failed
\tat com.mezzanineware.dsl.runtime.http.OutboundApi.post(OutboundApi.java:141)
\tat Reminders.sendReminders(Reminders.mez:58)
Caused by: java.net.SocketTimeoutException: Read timed out
\t... 12 more`,
  },
  { key: 'INFO', value: 'Reminder gateway answers again; 17 messages sent' },
  { key: 'Runtime Error', value: '[Visits:204] division by zero in visit average' },
  { key: 'INFO', value: 'Visit 48214 opened by community health worker 0107' },
];
