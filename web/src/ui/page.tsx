import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

export interface Crumb {
  readonly label: string;
  /** A route with its values filled in, "/apps"; without it the crumb is where one is. */
  readonly to?: string;
}

/** The first screen of a visit is read from the top of the page. */
let isFirstScreen = true;

function isInContent(element: Element | null): boolean {
  return element?.closest('main') != null;
}

/** The bones every screen shares. The crumb Home comes first by itself and is always a link. */
export function Page(props: {
  /** Behind Home; the last one is this page. */
  crumbs: readonly Crumb[];
  title: string;
  /** What the browser's tab says, where it is not the title. */
  tabTitle?: string;
  /** State and ids beside the title. */
  chips?: ReactNode;
  /** One line: what the page is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const { title, tabTitle = title } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${tabTitle} · Portal`;
  }, [tabTitle]);
  useEffect(() => {
    // Another screen: who reads it aloud or uses keys begins at its title, not where the last
    // screen was left.
    if (!isFirstScreen && !isInContent(document.activeElement)) heading.current?.focus({ preventScroll: true });
    isFirstScreen = false;
  }, []);
  return (
    <div className={styles.page}>
      <nav aria-label="Breadcrumb" className={styles.crumbs}>
        <ol>
          <li>
            <Link to="/">Home</Link>
          </li>
          {props.crumbs.map((crumb) => (
            <Fragment key={crumb.label}>
              <li aria-hidden="true" className={styles.between}>
                <IconChevronRight size={13} stroke={1.6} />
              </li>
              <li aria-current={crumb.to === undefined ? 'page' : undefined}>
                {crumb.to === undefined ? (
                  crumb.label
                ) : (
                  // Exact: a screen above this one is not the one where one is.
                  <Link to={crumb.to} activeOptions={{ exact: true }}>
                    {crumb.label}
                  </Link>
                )}
              </li>
            </Fragment>
          ))}
        </ol>
      </nav>
      <div className={styles.head}>
        <div className={styles.headText}>
          <div className={styles.titleLine}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {props.chips}
          </div>
          {props.lead ? <p className={styles.lead}>{props.lead}</p> : null}
        </div>
        {props.actions ? <div className="row">{props.actions}</div> : null}
      </div>
      {props.children}
    </div>
  );
}
