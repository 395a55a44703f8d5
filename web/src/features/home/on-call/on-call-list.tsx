import type { OnCall } from '@portal/contract/support-roster';
import { Link } from '@tanstack/react-router';
import { NoOneOnCall } from '../../../apps/no-one-on-call.tsx';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import styles from './on-call-list.module.css';

/** Lists who is on call for each team and until when. Each team links to its roster. */
export function OnCallList({ teams, timeZone }: { teams: readonly OnCall[]; timeZone: string }) {
  return (
    <ul className="entries">
      {teams.map((state) => {
        const { team, now, next, problem } = state;
        return (
          <li key={team}>
            <Link to="/support-roster/{-$team}" params={{ team }} className={styles.team}>
              {team}
            </Link>
            <span className={styles.people}>
              {now.length === 0 && <NoOneOnCall state={state} />}
              {now.map(({ personId, name, until }) => (
                <span key={`${personId} ${until}`}>
                  {name}{' '}
                  <span className="note">
                    until <ZoneTime at={until} timeZone={timeZone} />
                  </span>
                </span>
              ))}
              {now.length === 0 && next && (
                <span className="note">
                  {next.name} from <ZoneTime at={next.from} timeZone={timeZone} />
                </span>
              )}
              {problem !== null && <span className="note">{problem}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
