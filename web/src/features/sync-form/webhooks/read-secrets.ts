import { maxWebhookSecrets, minWebhookSecretLength, saveWebhookSecrets } from '@portal/contract/sync/webhooks';

interface TypedSecrets {
  readonly secrets: string[];
  readonly problem: string | null;
}

const listSchema = saveWebhookSecrets.request.shape.secrets;

/** Reads secrets, one per line. Lines without text, and repeated ones, are left out. */
export function readSecrets(text: string): TypedSecrets {
  const lines = text.split('\n').map((line) => line.trim());
  const secrets = [...new Set(lines.filter((line) => line !== ''))];
  if (secrets.length === 0) return { secrets, problem: 'Enter at least one secret.' };
  if (secrets.length > maxWebhookSecrets) return { secrets, problem: `Enter at most ${maxWebhookSecrets} secrets.` };
  const tooShort = secrets.findIndex(({ length }) => length < minWebhookSecretLength);
  if (tooShort >= 0)
    return { secrets, problem: `Secret ${tooShort + 1} is too short: it needs ${minWebhookSecretLength} characters.` };
  const tooLong = secrets.findIndex((secret) => !listSchema.safeParse([secret]).success);
  if (tooLong >= 0) return { secrets, problem: `Secret ${tooLong + 1} is too long.` };
  return { secrets, problem: null };
}
