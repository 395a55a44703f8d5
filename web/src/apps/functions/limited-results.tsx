import { type LastFunctionResults, maxFunctionResults } from '@portal/contract/scheduled-functions';

/** Says that the last results of some functions are missing; nothing while all are loaded. */
export function LimitedResults({ last }: { last: LastFunctionResults | undefined }) {
  if (!last?.isLimited) return null;
  const limit = maxFunctionResults.toLocaleString('en');
  return (
    <p className="note">
      The app has results of more than {limit} functions. The last result is loaded for {limit} of them. For the others,
      only the newest results of the app are shown.
    </p>
  );
}
