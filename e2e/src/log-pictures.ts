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
